import { sql } from "drizzle-orm";
import type { Tx } from "../../client";
import { attempts, errorEvents, executions, nodeRuns, runEvents, runs } from "../../schema/runs";
import { recordsOf, rowsOf } from "../records";
import type { NodeRow, RunRow } from "./lock-runs";

/** A node as it is to be, and as it has to be found: what a claim has changed since is not overwritten. */
export interface NodeWrite {
  readonly row: NodeRow;
  readonly fromState: string;
  readonly fromToken: number;
}

/** What an attempt's end adds to its row; only what is given is written. */
export type AttemptClose = Pick<typeof attempts.$inferSelect, "runId" | "nodeKey" | "generation" | "no"> &
  Pick<typeof attempts.$inferInsert, "outcome" | "committedAt"> &
  Partial<
    Pick<
      typeof attempts.$inferInsert,
      "inputs" | "output" | "response" | "errorCode" | "errorMessage" | "pickedUpAt" | "executingAt" | "logBytes" | "logTruncated"
    >
  >;

export type ExecutionWrite = Pick<typeof executions.$inferSelect, "executionId" | "state" | "token"> &
  Partial<Pick<typeof executions.$inferSelect, "result" | "completedBy" | "completedAt" | "executingAt">>;

export interface StateWrites {
  readonly nodes: readonly NodeWrite[];
  readonly newExecutions: readonly (typeof executions.$inferSelect)[];
  readonly executions: readonly ExecutionWrite[];
  readonly closed: readonly AttemptClose[];
  readonly opened: readonly (typeof attempts.$inferSelect)[];
  readonly events: readonly (typeof runEvents.$inferInsert)[];
  readonly errors: readonly (typeof errorEvents.$inferInsert)[];
  readonly runs: readonly RunRow[];
}

/**
 * Commits what was decided: nodes, register, attempts, events, error events, runs and freed slots, in one statement, so
 * that none of it exists without the rest (IDM-4).
 *
 * Prevents: a claim that came between the decision and this write (state and token are compared, and the caller throws
 * when fewer rows were written than asked); a completed execution that is opened again (it is passed by, and a trigger
 * refuses it); a deadlock with a claim (the register is written after the node rows, as the claim does).
 * Index: the primary keys, slots_taken. The planner takes a set from JSON for a hundred rows and would rather read a whole
 * partition than probe it so often; each set says how many it has by a limit, and is then joined by key.
 */
export async function applyDecisions(tx: Tx, writes: StateWrites): Promise<{ readonly missed: number }> {
  const nodeRecords = recordsOf(
    nodeRuns,
    writes.nodes.map(({ row }) => row),
  ).map((row, index) => ({
    row,
    from_state: writes.nodes[index]?.fromState,
    from_token: writes.nodes[index]?.fromToken,
  }));
  const closedKeys = writes.closed.map(({ runId, nodeKey }) => ({ run_id: runId, node_key: nodeKey }));
  const rows = await tx.execute<{ moved: number }>(sql`
    with moved as (
      update node_runs n set
        state = x.state, generation = x.generation, execution_id = x.execution_id, token = x.token, attempt_no = x.attempt_no,
        attempts = x.attempts, skip_cause = x.skip_cause, held = x.held, rank = x.rank, ready_at = x.ready_at, queued_at = x.queued_at,
        due_at = x.due_at, timeout_at = x.timeout_at, deadline_at = x.deadline_at, started_at = x.started_at, ended_at = x.ended_at,
        worker_id = x.worker_id, worker_boot = x.worker_boot, error_code = x.error_code, error_message = x.error_message,
        maybe_repeated = x.maybe_repeated
      from (select v from jsonb_array_elements(${JSON.stringify(nodeRecords)}::jsonb) as v limit ${nodeRecords.length}) as e
      cross join lateral jsonb_populate_record(null::node_runs, e.v -> 'row') as x
      where n.run_id = x.run_id and n.key = x.key and n.state = e.v ->> 'from_state' and n.token = (e.v ->> 'from_token')::integer
      returning n.run_id
    ), counted as materialized (
      select count(*)::integer as moved from moved
    ), registered as (
      insert into executions
      select * from jsonb_populate_recordset(null::executions, ${JSON.stringify(recordsOf(executions, writes.newExecutions))}::jsonb)
    ), turned as (
      update executions e set
        state = x.state, token = x.token, result = coalesce(x.result, e.result), completed_by = coalesce(x.completed_by, e.completed_by),
        completed_at = coalesce(x.completed_at, e.completed_at), executing_at = coalesce(x.executing_at, e.executing_at)
      from ${rowsOf(executions, "executions", writes.executions)} as x, counted
      where e.execution_id = x.execution_id and e.state <> 'COMPLETED'
    ), closed as (
      update attempts a set
        outcome = x.outcome, committed_at = x.committed_at, inputs = coalesce(x.inputs, a.inputs), output = coalesce(x.output, a.output),
        response = coalesce(x.response, a.response), error_code = x.error_code, error_message = x.error_message,
        picked_up_at = coalesce(x.picked_up_at, a.picked_up_at), executing_at = coalesce(x.executing_at, a.executing_at),
        log_bytes = coalesce(x.log_bytes, a.log_bytes), log_truncated = coalesce(x.log_truncated, a.log_truncated)
      from ${rowsOf(attempts, "attempts", writes.closed)} as x
      where a.run_id = x.run_id and a.node_key = x.node_key and a.generation = x.generation and a.no = x.no and a.outcome is null
    ), opened as (
      insert into attempts
      select * from jsonb_populate_recordset(null::attempts, ${JSON.stringify(recordsOf(attempts, writes.opened))}::jsonb)
    ), told as (
      insert into run_events (run_id, at, event, node_key, generation, attempt_no, from_state, to_state, actor, cause, data)
      select run_id, at, event, node_key, generation, attempt_no, from_state, to_state, actor, cause, coalesce(data, '{}')
      from jsonb_populate_recordset(null::run_events, ${JSON.stringify(recordsOf(runEvents, writes.events))}::jsonb) with ordinality
      order by ordinality
    ), failed as (
      insert into error_events
      select * from jsonb_populate_recordset(null::error_events, ${JSON.stringify(recordsOf(errorEvents, writes.errors))}::jsonb)
    ), ran as (
      update runs r set state = x.state, seq = x.seq, paused_by_person = x.paused_by_person, cancel_requested_at = x.cancel_requested_at,
        started_at = x.started_at, ended_at = x.ended_at
      from ${rowsOf(runs, "runs", writes.runs)} as x
      where r.id = x.id
    ), freed as (
      update slots s set run_id = null, node_key = null, token = null
      from (select * from jsonb_to_recordset(${JSON.stringify(closedKeys)}::jsonb) as r (run_id uuid, node_key text) limit ${closedKeys.length}) as x
      where s.run_id = x.run_id and s.node_key = x.node_key
    )
    select moved from counted
  `);
  return { missed: writes.nodes.length - (rows[0]?.moved ?? 0) };
}
