import { LOOK_REACH, maskByLook } from "./by-look";

export const TEXT_MASK = "***";
/** Shorter values would mask half of every text; who keeps a three-letter password has no secret. */
const MIN_LENGTH = 4;

const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

/** Base64 of a value at each of the three offsets it can have inside a longer text, without the unsure edges. */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const text = toBase64(padded).replace(/=+$/, "");
    const sure = text.slice(offset === 0 ? 0 : offset + 1, (padded.length % 3 === 0 ? text.length : text.length - 1) || undefined);
    return [sure, sure.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function formsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [
    value,
    encodeURIComponent(value.replace(/\p{Surrogate}/gu, "\ufffd")),
    JSON.stringify(value).slice(1, -1),
    hex,
    hex.toUpperCase(),
    toBase64(bytes),
    ...base64Forms(bytes),
  ];
}

/** What a secret can look like inside a text: itself, each of its lines, and their common encodings, longest first. */
export function textForms(secret: string, minLength: number): string[] {
  const values = [secret, ...secret.split(/\r?\n/)].filter((value) => value.length >= minLength);
  const forms = values.flatMap(formsOf).filter((form) => form.length >= minLength);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

export interface TextMask {
  (text: string): string;
  /** The longest that it looks for: what a text may be cut at without hiding it. */
  readonly reach: number;
}

/** Masks the given values in their common encodings, and what is known by its look (SEC-1, EXC-2). The second line, not the first. */
export function textMask(secrets: readonly string[]): TextMask {
  const forms = [...new Set(secrets.flatMap((secret) => textForms(secret, MIN_LENGTH)))].sort((a, b) => b.length - a.length);
  const mask = (text: string): string => {
    let masked = text;
    for (const form of forms) if (masked.includes(form)) masked = masked.replaceAll(form, TEXT_MASK);
    return maskByLook(masked, TEXT_MASK);
  };
  return Object.assign(mask, { reach: Math.max(LOOK_REACH, forms[0]?.length ?? 0) });
}

/** The same for every text of a value, keys included. */
export function maskTree(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskTree(item, mask));
  if (value === null || typeof value !== "object") return value;
  const taken = new Set(Object.keys(value));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const shown = mask(key);
      return [shown === key ? key : keptApart(shown, taken), maskTree(item, mask)];
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
