export interface ValueChange {
  /** Path inside the value, such as `role` or `params.day`; empty where the value is no object. */
  readonly path: string;
  /** Undefined where it was not there. */
  readonly before: unknown;
  readonly after: unknown;
  readonly same: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** Fields of both sides in the order in which they stand, those of nested objects by their path. */
export function valueChanges(before: unknown, after: unknown, path = ""): readonly ValueChange[] {
  if (!isFields(before) && !isFields(after)) {
    if (path === "" && (before ?? null) === null && (after ?? null) === null) return [];
    return [{ path, before: before ?? undefined, after: after ?? undefined, same: JSON.stringify(before) === JSON.stringify(after) }];
  }
  const [old, fresh] = [isFields(before) ? before : {}, isFields(after) ? after : {}];
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  return names.flatMap((name) => valueChanges(old[name], fresh[name], path === "" ? name : `${path}.${name}`));
}
