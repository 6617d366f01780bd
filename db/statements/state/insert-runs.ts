import { sql } from "drizzle-orm";
import type { Tx } from "../../client";
import { executions, nodeRuns, runEvents, runs } from "../../schema/runs";
import { prepared } from "../prepared";
import { recordsIn, recordsOf } from "../records";

export interface NewRuns {
  readonly runs: readonly (typeof runs.$inferSelect)[];
  readonly nodes: readonly (typeof nodeRuns.$inferSelect)[];
  readonly executions: readonly (typeof executions.$inferSelect)[];
  readonly events: readonly (typeof runEvents.$inferInsert)[];
}

const insert = prepared<object, Record<keyof NewRuns, string>>(
  (value) => sql`
    with made as (
      insert into runs ${recordsIn(runs, value("runs"))}
    ), made_nodes as (
      insert into node_runs ${recordsIn(nodeRuns, value("nodes"))}
    ), registered as (
      insert into executions ${recordsIn(executions, value("executions"))}
    )
    insert into run_events (run_id, at, event, node_key, generation, attempt_no, from_state, to_state, actor, cause, data)
    select run_id, at, event, node_key, generation, attempt_no, from_state, to_state, actor, cause, coalesce(data, '{}')
    from (select ${value("events")}::jsonb as v) p
    cross join lateral jsonb_populate_recordset(jsonb_populate_record(null::run_events, p.v -> 'base'), p.v -> 'rows') with ordinality
    order by ordinality
  `,
);

/**
 * Many runs with all that lies under them, in one statement: no run is ever seen without its nodes or its first event.
 * Rows go in as they are given, since a populated record takes no defaults; only event ids come from their sequence, in order.
 */
export async function insertRuns(tx: Tx, rows: NewRuns): Promise<void> {
  await insert(tx, {
    runs: recordsOf(runs, rows.runs),
    nodes: recordsOf(nodeRuns, rows.nodes),
    executions: recordsOf(executions, rows.executions),
    events: recordsOf(runEvents, rows.events),
  });
}
