/** A value as it comes back from JSON: undefined members gone, dates as text, keys of every object in code-point order. */
export type PlainJson = null | boolean | number | string | readonly PlainJson[] | { readonly [key: string]: PlainJson };

/** Text that jsonb can hold: no NUL, no half of a surrogate pair. */
const storable = (text: string): string =>
  SUSPECT.test(text) ? text.replaceAll("\u0000", "\u2400").replace(/\p{Surrogate}/gu, "\ufffd") : text;

/** A NUL, or any half of a pair, also of a whole one: nearly no text has either. */
const SUSPECT = /[\u0000\ud800-\udfff]/;

/** Brings a value into the one form that is stored and hashed. */
export function plainJson(value: unknown): PlainJson {
  switch (typeof value) {
    case "string":
      return storable(value);
    case "number":
      return Number.isFinite(value) ? (Object.is(value, -0) ? 0 : value) : null;
    case "boolean":
      return value;
    case "bigint":
      return value.toString();
    case "object":
      break;
    case "undefined":
    case "function":
    case "symbol":
      return null;
  }
  if (value === null) return null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plainJson);
  const entries = value instanceof Map ? [...value.entries()].map(([key, item]) => [String(key), item] as const) : Object.entries(value);
  const kept = entries.filter(([, item]) => item !== undefined).map(([key, item]) => [storable(key), plainJson(item)] as const);
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** The same text for the same value, whatever order its keys were written in: what hashes are made of. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(storable(value));
  if (typeof value !== "object" || value === null || value instanceof Date) return JSON.stringify(plainJson(value));
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  // Integer-like keys are listed first by every engine, so the order is written out here and not left to the object.
  const members = new Map<string, unknown>();
  const entries = value instanceof Map ? [...value.entries()] : Object.entries(value);
  for (const [key, item] of entries) if (item !== undefined) members.set(storable(String(key)), item);
  const keys = [...members.keys()].sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(members.get(key))}`).join(",")}}`;
}
