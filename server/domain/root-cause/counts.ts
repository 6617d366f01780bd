/** What a card counts its failures by (EXC-7). */
export const DIMENSIONS = ["stack", "key", "created", "node", "version", "worker", "host"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The most frequent values; what stands behind them is one number, so that a storm of new values costs no room. */
export const MOST_VALUES = 40;

export interface Tally {
  readonly values: Readonly<Record<string, number>>;
  /** Of values that have no place of their own. */
  readonly other: number;
}

export type Counts = Readonly<Record<Dimension, Tally>>;

/** One value of one dimension as it was counted in a batch; `value` is null for what the batch itself left out. */
export interface Counted {
  readonly dimension: Dimension;
  readonly value: string | null;
  readonly count: number;
}

const NOTHING: Tally = { values: {}, other: 0 };

export const NO_COUNTS: Counts = Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, NOTHING])) as Record<Dimension, Tally>;

/** The counts with a batch added. The sum of a dimension is exact; a value that was pushed out goes on as one of `other`. */
export function addCounts(before: Counts, batch: readonly Counted[], most = MOST_VALUES): Counts {
  const next = { ...before };
  for (const dimension of DIMENSIONS) {
    const added = batch.filter((each) => each.dimension === dimension);
    if (added.length > 0) next[dimension] = addTally(before[dimension], added, most);
  }
  return next;
}

/** The same for one of them. */
export function addTally(before: Tally, added: readonly Pick<Counted, "value" | "count">[], most: number): Tally {
  const values = new Map(Object.entries(before.values));
  let other = before.other;
  for (const { value, count } of added) {
    if (value === null) other += count;
    else values.set(value, (values.get(value) ?? 0) + count);
  }
  const ranked = [...values].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  for (const [, count] of ranked.slice(most)) other += count;
  return { values: Object.fromEntries(ranked.slice(0, most)), other };
}
