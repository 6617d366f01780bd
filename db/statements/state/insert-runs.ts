import { sql } from "drizzle-orm";
import type { Tx } from "../../client";
import { executions, nodeRuns, runEvents, runs } from "../../schema/runs";
import { recordsOf } from "../records";

export interface NewRuns {
  readonly runs: readonly (typeof runs.$inferSelect)[];
  readonly nodes: readonly (typeof nodeRuns.$inferSelect)[];
  readonly executions: readonly (typeof executions.$inferSelect)[];
  readonly events: readonly (typeof runEvents.$inferInsert)[];
}

/**
 * Many runs with all that lies under them, in one statement: no run is ever seen without its nodes or its first event.
 * Rows go in as they are given, since a populated record takes no defaults; only event ids come from their sequence, in order.
 */
export async function insertRuns(tx: Tx, rows: NewRuns): Promise<void> {
  await tx.execute(sql`
    with made as (
      insert into runs select * from jsonb_populate_recordset(null::runs, ${JSON.stringify(recordsOf(runs, rows.runs))}::jsonb)
    ), made_nodes as (
      insert into node_runs select * from jsonb_populate_recordset(null::node_runs, ${JSON.stringify(recordsOf(nodeRuns, rows.nodes))}::jsonb)
    ), registered as (
      insert into executions select * from jsonb_populate_recordset(null::executions, ${JSON.stringify(recordsOf(executions, rows.executions))}::jsonb)
    )
    insert into run_events (run_id, at, event, node_key, generation, attempt_no, from_state, to_state, actor, cause, data)
    select run_id, at, event, node_key, generation, attempt_no, from_state, to_state, actor, cause, coalesce(data, '{}')
    from jsonb_populate_recordset(null::run_events, ${JSON.stringify(recordsOf(runEvents, rows.events))}::jsonb) with ordinality
    order by ordinality
  `);
}
