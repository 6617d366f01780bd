import { blankOut, shown } from "./blank";
import { keptApart } from "./mask-text";
import { findForms, secretForms } from "./secret-forms";

/** A shorter value would hit parts of ordinary words: an output is data that others go on with, and not a text to be read. */
const MIN_SECRET = 6;

/** A secret that stood in an output, and where. */
export interface FoundSecret {
  readonly name: string;
  readonly path: string;
}

export interface MaskedOutput {
  readonly output: unknown;
  /** Empty where the output is exactly what came. */
  readonly found: readonly FoundSecret[];
}

/**
 * Takes the values of the given secrets, in their common encodings, out of an output and says which and where (SEC-1).
 * Nothing else is touched: what only looks like a credential is the author's data. Keys that become alike stay apart.
 */
export function maskOutput(output: unknown, secrets: Readonly<Record<string, string>>): MaskedOutput {
  const forms = Object.entries(secrets)
    .filter(([, value]) => value.length >= MIN_SECRET)
    .flatMap(([name, value]) => secretForms(name, value, MIN_SECRET));
  if (forms.length === 0) return { output, found: [] };
  const found: FoundSecret[] = [];
  const clean = (text: string, path: string): string => {
    const places = findForms(text, forms);
    for (const { name } of places) {
      if (!found.some((one) => one.name === name && one.path === path)) found.push({ name, path });
    }
    return shown(blankOut(text, places));
  };
  const walk = (value: unknown, path: string): unknown => {
    if (typeof value === "string") return clean(value, path);
    if (Array.isArray(value)) return value.map((item, index) => walk(item, `${path}[${index}]`));
    if (value === null || typeof value !== "object") return value;
    const taken = new Set(Object.keys(value));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const masked = clean(key, path);
        const kept = masked === key ? key : keptApart(masked, taken);
        return [kept, walk(item, path === "" ? kept : `${path}.${kept}`)];
      }),
    );
  };
  return { output: walk(output, ""), found };
}
