import { sql } from "drizzle-orm";
import type { Executor } from "../../client";

export interface NodesInState {
  readonly runId: string;
  readonly state: string;
  readonly count: number;
}

/**
 * The nodes of some runs by state, run by run: a planner that has never counted the tables would else read a month as a whole.
 * Index: the primary key of node_runs.
 */
export async function countNodes(db: Executor, runIds: readonly string[]): Promise<readonly NodesInState[]> {
  if (runIds.length === 0) return [];
  const rows = await db.execute<{ run_id: string; state: string; count: number }>(sql`
    select r.id as run_id, c.state, c.count from (select jsonb_array_elements_text(${JSON.stringify(runIds)}::jsonb)::uuid as id) r
    cross join lateral (select n.state, count(*)::integer as count from node_runs n where n.run_id = r.id group by n.state) c
  `);
  return rows.map(({ run_id: runId, state, count }) => ({ runId, state, count }));
}
