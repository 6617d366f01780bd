import { sql } from "drizzle-orm";
import type { Executor } from "../client";

export const DUE_KINDS = ["retry", "wait", "timeout", "deadline"] as const;
export type DueKind = (typeof DUE_KINDS)[number];

export interface DueInstant {
  readonly kind: DueKind;
  readonly atMs: number;
}

/** Of one kind; past that many at distinct moments the sweep of each second does as well. */
const MOST = 5_000;

/**
 * The moments within (after, until] at which a node must move by itself: each moment once, however many nodes share it. A
 * running node that is out of time has `graceMs` in which its worker ends it.
 * Indexes: node_runs_due, node_runs_timeout, node_runs_deadline.
 */
export async function findUpcomingDue(db: Executor, after: Date, until: Date, graceMs: number): Promise<DueInstant[]> {
  const moments = (kind: DueKind, name: string, states: string, laterMs = 0) => {
    const column = sql.raw(name);
    const bound = (at: Date) => sql`${new Date(at.getTime() - laterMs).toISOString()}::timestamptz`;
    return sql`(
      select distinct ${kind}::text as kind, (extract(epoch from ${column}) * 1000)::float8 + ${laterMs}::float8 as at_ms from node_runs
      where ${sql.raw(states)} and ${column} > ${bound(after)} and ${column} <= ${bound(until)} order by at_ms limit ${MOST})`;
  };
  const rows = await db.execute<{ kind: DueKind; at_ms: number }>(sql`
    ${moments("retry", "due_at", "state = 'RETRYING'")} union all
    ${moments("wait", "due_at", "state = 'RUNNING'")} union all
    ${moments("timeout", "timeout_at", "state = 'RUNNING'", graceMs + 1)} union all
    ${moments("deadline", "deadline_at", "state = 'RUNNING'", graceMs + 1)} union all
    ${moments("deadline", "deadline_at", "state in ('QUEUED','RETRYING') and not held", 1)}
  `);
  return rows.map((row) => ({ kind: row.kind, atMs: row.at_ms }));
}
