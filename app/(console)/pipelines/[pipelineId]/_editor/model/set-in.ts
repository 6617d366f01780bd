export type FieldPath = readonly (string | number)[];

/** What stands at a path; undefined where the path leads nowhere. */
export function getIn(value: unknown, path: FieldPath): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}

/** A copy with one field changed; undefined takes the field out. What did not change is shared. */
export function setIn<T>(value: T, path: FieldPath, next: unknown): T;
export function setIn(value: unknown, path: FieldPath, next: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return next;
  if (Array.isArray(value)) {
    const copy: unknown[] = [...(value as unknown[])];
    const child = rest.length === 0 ? next : setIn(copy[Number(step)], rest, next);
    if (child === undefined) copy.splice(Number(step), 1);
    else copy[Number(step)] = child;
    return copy;
  }
  const fields: Record<string, unknown> = typeof value === "object" && value !== null ? { ...value } : {};
  const child = rest.length === 0 ? next : setIn(fields[step], rest, next);
  if (child === undefined) delete fields[step];
  else fields[step] = child;
  return fields;
}
