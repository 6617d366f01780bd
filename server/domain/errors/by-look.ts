import { BLANK, blankOut, blanksOf } from "./blank";
import { sourceOf, viewsOf } from "./text-views";

/** What is known by its look, whoever wrote it: credentials and people's data (EXC-2). */
interface Look {
  readonly pattern: RegExp;
  /** One of these stands in every match: a text without them needs no closer look. */
  readonly signs?: readonly string[];
  /** How much of a match may stay before what is hidden; null where the match only looked like one. */
  readonly kept: (match: string) => number | null;
}

/** The longest thing that is known by its look: a text may be cut this far from its end without hiding one. */
export const LOOK_REACH = 2_048;

const whole = () => 0;
const if_ = (is: (digits: string) => boolean) => (match: string) => (is(match.replace(/[^0-9Xx]/g, "").toUpperCase()) ? 0 : null);

/** Not inside a longer word or number: a hash, an order number with letters or a fraction stays readable. */
const START = "(?<![A-Za-z0-9.])";
const END = "(?![A-Za-z0-9]|\\.\\d)";

/** Prefixes that vendors give their tokens, so that they can be found; the list follows the rules of gitleaks (MIT). */
const VENDORS = [
  // Our own service tokens.
  "apollo_[a-f0-9]{32,}",
  "gh[pousr]_[A-Za-z0-9]{20,255}",
  "github_pat_[A-Za-z0-9_]{20,255}",
  "gl(?:pat|ptt|rt|dt|cbt|ft|agent|soat)-[A-Za-z0-9_.-]{20,300}",
  "xox[abeoprs]-[A-Za-z0-9-]{10,255}",
  "xapp-\\d-[A-Za-z0-9-]{10,255}",
  "(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
  "LTAI[A-Za-z0-9]{12,30}",
  "AKID[A-Za-z0-9]{32}",
  "[rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,255}",
  "sk-(?:[a-z]+\\d*-)*[A-Za-z0-9_-]{20,255}",
  "AIza[A-Za-z0-9_-]{35}",
  "ya29\\.[A-Za-z0-9_-]{20,1000}",
  "npm_[A-Za-z0-9]{36}",
  "pypi-[A-Za-z0-9_-]{50,255}",
  "SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,64}",
  "do[opr]_v1_[a-f0-9]{64}",
  "hf_[A-Za-z0-9]{30,60}",
  "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
  "whsec_[A-Za-z0-9+/=]{24,255}",
  "hv[bs]\\.[A-Za-z0-9_-]{24,300}",
  "dckr_pat_[A-Za-z0-9_-]{27,64}",
];

const LOOKS: readonly Look[] = [
  {
    signs: ["PRIVATE KEY"],
    // One whose end is missing, as in a tail that was cut, goes as far as it looks like one.
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----BEGIN)[\s\S]){1,20000}?-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?:\s*[A-Za-z0-9+/=]{16,})*(?:\s*[A-Za-z0-9+/]*={0,2}$)?)/g,
    kept: whole,
  },
  {
    signs: ["PRIVATE KEY"],
    pattern: /(?:[A-Za-z0-9+/]{16,}={0,2}\s+){1,400}-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g,
    kept: whole,
  },
  {
    pattern: /\b(?:bearer|basic)\s+[A-Za-z0-9+/._~-]{8,}=*/gi,
    kept: (match) => match.search(/\s/) + 1,
  },
  { signs: ["eyJ"], pattern: /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g, kept: whole },
  {
    signs: ["://"],
    pattern: /:\/\/[^\s:/@]{0,200}:[^\s/@]+(?=@)/g,
    kept: (match) => match.indexOf(":", 3) + 1,
  },
  { pattern: new RegExp(`(?<![A-Za-z0-9])(?:${VENDORS.join("|")})`, "g"), kept: whole },
  {
    signs: ["@", "%40"],
    pattern: /(?<![A-Za-z0-9._%+-])(?<!:\/\/)[A-Za-z0-9._%+-]{1,64}(?:@|%40)(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])/g,
    kept: whole,
  },
  { signs: ["+", "%2B"], pattern: new RegExp(`(?<![A-Za-z0-9+/.])(?:\\+|%2B)[1-9](?:[ .()-]{0,2}\\d){8,14}${END}`, "g"), kept: whole },
  {
    pattern: new RegExp(`${START}[1-8]\\d{5}[ -]?(?:18|19|20)\\d{6}[ -]?\\d{3}[0-9Xx]${END}`, "g"),
    kept: if_(isChineseIdentity),
  },
  { pattern: new RegExp(`${START}[1-8]\\d{14}${END}`, "g"), kept: if_(isOldIdentity) },
  {
    pattern: new RegExp(
      `${START}(?<![0-9a-f]{4}-)(?:[3-6]\\d{3}|2[2-7]\\d{2})(?:([ -]?)\\d{4}\\1\\d{4}\\1\\d{1,7}|[ -]?\\d{6}[ -]?\\d{4,5})${END}`,
      "g",
    ),
    kept: if_(isBankCard),
  },
  {
    pattern: new RegExp(
      `${START}(?:(?:\\+|%2B|00)?86[ -]?)?1(?:3\\d|4[014-9]|5[0-35-9]|6[2567]|7[0-8]|8\\d|9[0-35-9])(?:[ -]?\\d{4}[ -]?\\d{4}|\\.\\d{4}\\.\\d{4})${END}`,
      "g",
    ),
    kept: whole,
  },
];

/** Blanks whatever is known by its look, as it is written or under escapes. */
export function blankLooks(text: string): string {
  const [given, ...views] = viewsOf(text);
  let blanked = given ? blankView(given.text) : text;
  for (const view of views) {
    const seen = blankView(view.text);
    if (seen !== view.text)
      blanked = blankOut(
        blanked,
        blanksOf(seen).map(({ start, end }) => sourceOf(view, start, end)),
      );
  }
  return blanked;
}

function blankView(text: string): string {
  let blanked = text;
  for (const { signs, pattern, kept } of LOOKS) {
    if (signs && !signs.some((sign) => blanked.includes(sign))) continue;
    blanked = blanked.replace(pattern, (match) => {
      const from = kept(match);
      return from === null ? match : match.slice(0, from) + BLANK.repeat(match.length - from);
    });
  }
  return blanked;
}

const PROVINCES = new Set(
  "11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81 82 83".split(" "),
);
const WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

/** An identity number of mainland China (GB 11643): province, day of birth and check digit agree. */
export function isChineseIdentity(text: string): boolean {
  if (!/^\d{17}[\dX]$/.test(text) || !PROVINCES.has(text.slice(0, 2)) || !isDay(text.slice(6, 14))) return false;
  const sum = WEIGHTS.reduce((total, weight, at) => total + weight * Number(text[at]), 0);
  return "10X98765432"[sum % 11] === text[17];
}

/** One of before 1999, with two digits of the year and no check digit. */
function isOldIdentity(text: string): boolean {
  return /^\d{15}$/.test(text) && PROVINCES.has(text.slice(0, 2)) && isDay(`19${text.slice(6, 12)}`);
}

function isDay(text: string): boolean {
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8)].map(Number);
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12) return false;
  return day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Ranges that issuers of cards use, with the lengths of their numbers: a timestamp or a serial number is in none. */
const ISSUERS: readonly { readonly begins: RegExp; readonly lengths: readonly number[] }[] = [
  { begins: /^4/, lengths: [16] },
  { begins: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { begins: /^3[47]/, lengths: [15] },
  { begins: /^62/, lengths: [16, 17, 18, 19] },
  { begins: /^35(?:2[89]|[3-8])/, lengths: [16] },
  { begins: /^6(?:011|4[4-9]|5)/, lengths: [16] },
  { begins: /^(?:30[0-5]|3[689])/, lengths: [14] },
];

/** A bank card: an issuer's range, its length, and the check digit of Luhn. */
export function isBankCard(digits: string): boolean {
  if (!ISSUERS.some(({ begins, lengths }) => begins.test(digits) && lengths.includes(digits.length))) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
