import { sql } from "drizzle-orm";
import type { Tx } from "../../client";

export interface LiveRunCount {
  readonly scheduleId: string;
  readonly active: number;
  readonly waiting: number;
}

/** Live runs of some schedules; one without any is left out. Index: runs_live_schedule. */
export async function countLiveRuns(tx: Tx, scheduleIds: readonly string[]): Promise<LiveRunCount[]> {
  const rows = await tx.execute<{ schedule_id: string; active: number; waiting: number }>(sql`
    select schedule_id, count(*) filter (where state <> 'PENDING')::integer as active,
      count(*) filter (where state = 'PENDING')::integer as waiting
    from runs
    where schedule_id in (select jsonb_array_elements_text(${JSON.stringify(scheduleIds)}::jsonb)::uuid)
      and state in ('PENDING','RUNNING','PAUSED') and schedule_id is not null
    group by schedule_id
  `);
  return rows.map((row) => ({ scheduleId: row.schedule_id, active: row.active, waiting: row.waiting }));
}
