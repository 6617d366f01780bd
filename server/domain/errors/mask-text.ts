import { blankOut, shown } from "./blank";
import { blankLooks, LOOK_REACH } from "./by-look";
import { findForms, type SecretForm, secretForms, unfinishedFrom } from "./secret-forms";

/** Shorter values would mask half of every text; who keeps a three-letter password has no secret. */
const MIN_LENGTH = 4;
/** What one letter is under the longest escape. */
const ESCAPED = 8;
/** Looked for at the end of a text that goes on: of longer ones the first letters will do. */
const MAX_UNFINISHED = 256;

export interface TextMask {
  (text: string): string;
  /** The same text, as long as before, with a sign that no text has in place of each letter that must not be seen. */
  blank(text: string): string;
  /** Where at the end of a text, which goes on, a secret may have begun; its length where none has. */
  unfinishedFrom(text: string): number;
  /** The longest that it looks for: what a text may be cut at without hiding it. */
  readonly reach: number;
}

/** Masks the given values in their common encodings, and what is known by its look (SEC-1, EXC-2). The second line, not the first. */
export function textMask(secrets: readonly string[]): TextMask {
  const forms: SecretForm[] = secrets.flatMap((secret) => secretForms("", secret, MIN_LENGTH));
  const openings = forms.map((form) => ({ ...form, text: form.text.slice(0, MAX_UNFINISHED) }));
  const blank = (text: string): string => blankLooks(blankOut(text, findForms(text, forms)));
  const longest = forms.reduce((most, { text }) => Math.max(most, text.length), 0);
  return Object.assign((text: string) => shown(blank(text)), {
    blank,
    unfinishedFrom: (text: string) => unfinishedFrom(text, openings),
    reach: Math.max(LOOK_REACH, longest * ESCAPED),
  });
}

/** The same for every text of a value, keys included; a number that is a phone's or a person's is a text to be masked too. */
export function maskTree(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value === "number") return mask(String(value)) === String(value) ? value : mask(String(value));
  if (Array.isArray(value)) return value.map((item) => maskTree(item, mask));
  if (value === null || typeof value !== "object") return value;
  const taken = new Set(Object.keys(value));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const masked = mask(key);
      return [masked === key ? key : keptApart(masked, taken), maskTree(item, mask)];
    }),
  );
}

/** A key that no other of its object has: masked keys are alike, and none of their values may be lost. */
export function keptApart(key: string, taken: Set<string>): string {
  let free = key;
  for (let no = 2; taken.has(free); no++) free = `${key} (${no})`;
  taken.add(free);
  return free;
}
