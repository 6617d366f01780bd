/** The rows that a person reads, and those that came since and wait above them. */
export interface FreshRows<R> {
  readonly shown: readonly R[];
  readonly waiting: readonly R[];
  /** So many came at once that those between the two were not seen. */
  readonly broken: boolean;
}

export const noRows = <R>(): FreshRows<R> => ({ shown: [], waiting: [], broken: false });

type HasId = { readonly id: string };

const byId = <R extends HasId>(rows: readonly R[]) => new Map(rows.map((row) => [row.id, row]));

/** Ids are ordered by time, so of two the greater is the newer. */
const newestFirst = <R extends HasId>(rows: Iterable<R>): R[] => [...rows].sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));

/**
 * Takes in a newer look at the top of the list. Rows in sight change where they stand; a new one waits, so that
 * nothing moves under the cursor. A row that the filter no longer holds stays until the list is read again.
 */
export function takeLook<R extends HasId>(rows: FreshRows<R>, look: readonly R[]): FreshRows<R> {
  if (rows.shown.length === 0) return { shown: newestFirst(look), waiting: [], broken: false };
  const latest = byId(look);
  const top = rows.shown[0]?.id ?? "";
  const known = new Set(rows.shown.map((row) => row.id));
  const before = byId(rows.waiting);
  const apart = look.length > 0 && look.every((row) => row.id > top && !before.has(row.id));
  const waiting = apart ? byId<R>([]) : before;
  for (const row of look) if (row.id > top && !known.has(row.id)) waiting.set(row.id, row);
  return {
    shown: rows.shown.map((row) => latest.get(row.id) ?? row),
    waiting: newestFirst(waiting.values()),
    broken: rows.broken || apart,
  };
}

/** Adds an older page at the end, each row once. */
export function addOlder<R extends HasId>(rows: FreshRows<R>, page: readonly R[]): FreshRows<R> {
  return { ...rows, shown: newestFirst(byId([...page, ...rows.shown]).values()) };
}

/** Lets the waiting rows in; where the list is broken it begins anew with them. */
export function letIn<R extends HasId>(rows: FreshRows<R>): FreshRows<R> {
  return { shown: newestFirst(byId([...(rows.broken ? [] : rows.shown), ...rows.waiting]).values()), waiting: [], broken: false };
}
