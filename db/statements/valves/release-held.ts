import { sql } from "drizzle-orm";
import type { Tx } from "../../client";

export interface Released {
  /** How many went: also those that are no more, which need no place. */
  readonly count: number;
  readonly groups: readonly string[];
  readonly projectIds: readonly string[];
}

/**
 * Lets the first of a valve go, in the order in which they would have been claimed: each back to its own pool, with its total
 * deadline anew, since the stop was not its fault. A run whose node gets a new deadline counts as moved, so that no worker
 * decides by what it remembers. Runs are locked before what is held of them, as by a cancellation; a run that somebody is at
 * has its turn at the next look. Index: valve_holds_order, and the keys.
 */
export async function releaseHeld(tx: Tx, no: number, limit: number): Promise<Released> {
  const rows = await tx.execute<{ run_id: string; worker_group: string | null; project_id: string | null }>(sql`
    with first as materialized (
      select run_id, node_key from valve_holds where valve_no = ${no} order by rank limit ${limit}
    ), free as materialized (
      select id from runs where id in (select run_id from first) order by id for no key update skip locked
    ), next as materialized (
      select h.run_id, h.node_key, h.pool_key from first f join free r on r.id = f.run_id
      join valve_holds h on h.run_id = f.run_id and h.node_key = f.node_key and h.valve_no = ${no}
      for update of h skip locked
    ), gone as (
      delete from valve_holds h using next x where h.run_id = x.run_id and h.node_key = x.node_key and h.valve_no = ${no}
    ), moved as (
      update runs r set seq = r.seq + 1
      where r.id in (select x.run_id from next x join node_runs n on n.run_id = x.run_id and n.key = x.node_key and n.deadline_at is not null)
    ), freed as (
      update node_runs n set pool_key = x.pool_key, deadline_at = null
      from next x where n.run_id = x.run_id and n.key = x.node_key and n.pool_key = 'valve:' || ${no}::text and n.state || '' = 'QUEUED'
      returning n.run_id, n.key, n.worker_group
    )
    select x.run_id, f.worker_group, r.project_id from next x
    left join freed f on f.run_id = x.run_id and f.key = x.node_key left join runs r on r.id = x.run_id
  `);
  return {
    count: rows.length,
    groups: [...new Set(rows.flatMap(({ worker_group }) => worker_group ?? []))],
    projectIds: [...new Set(rows.flatMap(({ project_id }) => project_id ?? []))],
  };
}
