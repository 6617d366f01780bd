const SENSITIVE =
  /^(?:.*[-_])?(?:password|passwd|secret|token|authorization|cookie|set-cookie|api[-_]?key|private[-_]?key|access[-_]?key)$/i;
/** A reference names a secret and holds none. */
const REFERENCE = /\{\{\s*secrets\./;

export const MASK = "***";

/** Puts `***` where a member's name says that its text is a secret; references to secrets stay readable. */
export function masked(value: unknown, key = ""): unknown {
  if (typeof value === "string") return SENSITIVE.test(key) && value !== "" && !REFERENCE.test(value) ? MASK : value;
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item) => masked(item, key));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, masked(item, name)]));
}
