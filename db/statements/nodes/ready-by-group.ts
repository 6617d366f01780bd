import { sql } from "drizzle-orm";
import type { Executor } from "../../client";

export interface ReadyOfGroup {
  readonly group: string;
  readonly queued: number;
  readonly oldestReadyAt: Date | null;
}

/** Queue depth by group, without what stop valves hold. Index: node_runs_ready, which a plan for any state could not use: so the state stands in the text. */
export async function readyByGroup(db: Executor): Promise<readonly ReadyOfGroup[]> {
  const rows = await db.execute<{ worker_group: string; queued: number; oldest: string | null }>(sql`
    select worker_group, count(*)::integer as queued, min(ready_at) as oldest from node_runs
    where state = 'QUEUED' and not held and pool_key < 'valve:' group by worker_group
  `);
  return rows.map(({ worker_group: group, queued, oldest }) => ({
    group,
    queued,
    oldestReadyAt: oldest === null ? null : new Date(oldest),
  }));
}
