import { joined, type Stretch, sourceOf, type TextView, viewsOf } from "./text-views";

/** What a secret can look like once escapes are undone, for a search that ignores case. */
export interface SecretForm {
  readonly name: string;
  readonly text: string;
  /** How much of its beginning is enough to know it by, as in a key that is shown by its first letters. */
  readonly enough: number;
}

export interface FoundForm extends Stretch {
  readonly name: string;
}

/** Of a secret that is longer, so many letters give it away. */
const FIRST_LETTERS = 8;
/** An encoding that is shorter stands in ordinary words. */
const MIN_ENCODED = 6;
/** Beginnings that many have and that tell nothing: a scheme, a token's header, a vendor's prefix, the first line of a key, a word. */
const COMMON_BEGINNING =
  /^(?:[a-z][a-z0-9+.-]*:\/*|-----begin.*|eyj.{0,12}|(?:[spr]k)[_-](?:(?:live|test|prod|proj|ant)[_-])?|(?:github_pat|gh[pousr]|whsec|dckr_pat|apollo|shp[a-z]{2}|npm|pypi|glpat|xox[a-z])[_-]|password|postgres|username)/i;

const toBase64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

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

function encodedForms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const whole = toBase64(bytes);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex, whole, whole.replaceAll("+", "-").replaceAll("/", "_"), ...base64Forms(bytes)].filter(({ length }) => length >= MIN_ENCODED);
}

/** A secret's own forms and those of each of its lines; the longest first. */
export function secretForms(name: string, secret: string, minLength: number): SecretForm[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const values = [...new Set([secret, lines.join(""), ...lines])].filter(({ length }) => length >= minLength);
  const forms = values.flatMap((value) => {
    // One that holds an escape itself is found with it and, where all escapes around it are undone, without.
    const plain = [...viewsOf(value).map(({ text }) => text), value.replaceAll(" ", "+")].filter(({ length }) => length >= minLength);
    return [
      ...plain.map((text) => ({ name, text: lower(text), enough: enoughOf(value) })),
      ...encodedForms(value).map((text) => ({ name, text: lower(text), enough: lower(text).length })),
    ];
  });
  return [...new Map(forms.map((form) => [form.text, form])).values()].sort((a, b) => b.text.length - a.text.length);
}

function enoughOf(value: string): number {
  const { length } = lower(value);
  const told = COMMON_BEGINNING.exec(value)?.[0].length ?? 0;
  return Math.min(length, told >= FIRST_LETTERS / 2 ? told + FIRST_LETTERS : FIRST_LETTERS);
}

/** Never of another length: places in it must be those in the text. */
function lower(text: string): string {
  const lowered = text.toLowerCase();
  return lowered.length === text.length ? lowered : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Every place of a secret in a text: as it is, under escapes, in any case, split over lines, or by its beginning alone. */
export function findForms(text: string, forms: readonly SecretForm[]): FoundForm[] {
  if (forms.length === 0) return [];
  const found: FoundForm[] = [];
  for (const view of viewsOf(text)) {
    search(view, forms, found);
    if (/[\r\n]/.test(view.text)) search(joined(view), forms, found);
  }
  return found;
}

function search(view: TextView, forms: readonly SecretForm[], found: FoundForm[]): void {
  const haystack = lower(view.text);
  for (const { name, text, enough } of forms) {
    const seed = text.slice(0, enough);
    for (let at = haystack.indexOf(seed); at !== -1; ) {
      let end = at + enough;
      while (end - at < text.length && haystack[end] === text[end - at]) end++;
      found.push({ name, ...sourceOf(view, at, end) });
      at = haystack.indexOf(seed, end);
    }
  }
}

/** Where at the end of a text a secret may have begun whose rest is still to come; the text's length where none has. */
export function unfinishedFrom(text: string, forms: readonly SecretForm[], least = 2): number {
  const haystack = lower(text);
  let from = text.length;
  for (const { text: form } of forms) {
    for (let length = Math.min(form.length - 1, haystack.length); length >= least && text.length - length < from; length--) {
      if (haystack.endsWith(form.slice(0, length))) from = text.length - length;
    }
  }
  return from;
}
