/** What is kept for a time, by noun: months that are dropped as a whole, or rows that are deleted some at a time. */
export interface RetentionRule {
  readonly kind: "months" | "rows";
  readonly tables: readonly string[];
  /** Days; null keeps it for good. */
  readonly defaultDays: number | null;
  /** No setting goes below: what something else still needs by its own promise. */
  readonly leastDays: number;
}

/** A request that is repeated later than this is a new one. */
export const IDEMPOTENCY_DAYS = 30;
/** Longer than that, and than a month is: the one before this must be there whole. */
const MONTH_LEAST = 31;

export const RETENTION = {
  runs: { kind: "months", tables: ["runs", "node_runs", "executions", "attempts", "run_events"], defaultDays: 90, leastDays: MONTH_LEAST },
  logs: { kind: "months", tables: ["log_chunks"], defaultDays: 90, leastDays: MONTH_LEAST },
  error_events: { kind: "months", tables: ["error_events"], defaultDays: 90, leastDays: MONTH_LEAST },
  platform_events: { kind: "months", tables: ["platform_events"], defaultDays: 90, leastDays: MONTH_LEAST },
  alert_receipts: { kind: "rows", tables: ["alert_receipts"], defaultDays: 180, leastDays: 31 },
  alert_deliveries: { kind: "rows", tables: ["alert_deliveries"], defaultDays: 90, leastDays: 2 },
  dead_letters: { kind: "rows", tables: ["dead_letters"], defaultDays: 180, leastDays: 7 },
  worker_breakers: { kind: "rows", tables: ["worker_breakers"], defaultDays: 90, leastDays: 1 },
  webhook_deliveries: { kind: "rows", tables: ["webhook_deliveries"], defaultDays: 30, leastDays: 2 },
  bus_events: { kind: "rows", tables: ["bus_events"], defaultDays: 14, leastDays: 2 },
} as const satisfies Record<string, RetentionRule>;

export type RetentionNoun = keyof typeof RETENTION;
export const RETENTION_NOUNS = Object.keys(RETENTION) as [RetentionNoun, ...RetentionNoun[]];
export type RowNoun = { [Noun in RetentionNoun]: (typeof RETENTION)[Noun]["kind"] extends "rows" ? Noun : never }[RetentionNoun];
export type MonthNoun = Exclude<RetentionNoun, RowNoun>;

/** What no setting ever deletes: the audit, and what would no longer be understood without. */
export const KEPT_FOR_GOOD = {
  audit: ["audit"],
  incidents: ["incidents", "incident_reviews"],
  fires: ["fires"],
  alerts: ["alerts"],
} as const;
export const LONGEST_DAYS = 3_650;

const DAY_MS = 86_400_000;
const MONTH = /_(\d{4})_(\d{2})$/;

/** The instant before which something is past its time; null where it is kept for good. */
export const expiredBefore = (days: number | null, now: Date): Date | null =>
  days === null ? null : new Date(now.getTime() - days * DAY_MS);

export interface Month {
  /** As in a partition's name: `2026_05`. */
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

/** The month of a partition, as its name says; null for any other table. */
export function monthOf(partition: string): Month | null {
  const found = MONTH.exec(partition);
  if (!found) return null;
  const [year, month] = [Number(found[1]), Number(found[2])];
  return { name: `${found[1]}_${found[2]}`, from: new Date(Date.UTC(year, month - 1)), to: new Date(Date.UTC(year, month)) };
}

/** Months whose last instant is past its time, the oldest first. */
export function expiredMonths(partitions: readonly string[], days: number | null, now: Date): Month[] {
  const before = expiredBefore(days, now);
  if (before === null) return [];
  const months = new Map<string, Month>();
  for (const partition of partitions) {
    const month = monthOf(partition);
    if (month) months.set(month.name, month);
  }
  return [...months.values()].filter(({ to }) => to <= before).sort((a, b) => a.from.getTime() - b.from.getTime());
}
