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
 * The moments within (after, until] at which a node must move by itself: each moment once, however many nodes share it.
 * Indexes: node_runs_due, node_runs_timeout, node_runs_deadline.
 */
export async function findUpcomingDue(db: Executor, after: Date, until: Date): Promise<DueInstant[]> {
  const within = (name: string) => {
    const column = sql.raw(name);
    return sql`${column} > ${after.toISOString()}::timestamptz and ${column} <= ${until.toISOString()}::timestamptz`;
  };
  const rows = await db.execute<{ kind: DueKind; at_ms: number }>(sql`
    select kind, (extract(epoch from due) * 1000)::float8 as at_ms from (
      (select distinct 'retry' as kind, due_at as due from node_runs where state = 'RETRYING' and ${within("due_at")} order by due_at limit ${MOST})
      union all
      (select distinct 'wait', due_at from node_runs where state = 'RUNNING' and ${within("due_at")} order by due_at limit ${MOST})
      union all
      (select distinct 'timeout', timeout_at from node_runs where state = 'RUNNING' and ${within("timeout_at")} order by timeout_at limit ${MOST})
      union all
      (select distinct 'deadline', deadline_at from node_runs
        where state in ('QUEUED','RUNNING','RETRYING') and ${within("deadline_at")} order by deadline_at limit ${MOST})
    ) as upcoming
  `);
  return rows.map((row) => ({ kind: row.kind, atMs: row.at_ms }));
}
