import { sql } from "drizzle-orm";
import type { Executor } from "../../client";
import { textArray } from "../array";

export interface ClaimRequest {
  readonly worker: { readonly id: string; readonly bootId: string; readonly epoch: number };
  readonly groups: readonly string[];
  readonly limit: number;
  /** One for each node that may be claimed. */
  readonly spanIds: readonly string[];
}

/** A claimed row; instants are text, as the driver gives them for raw SQL. */
export interface ClaimRow {
  readonly run_id: string;
  readonly key: string;
  readonly generation: number;
  readonly attempt_no: number;
  readonly execution_id: string;
  readonly token: number;
  readonly worker_group: string;
  readonly maybe_repeated: boolean;
  readonly queued_at: string | null;
  readonly timeout_at: string;
  readonly at: string;
  readonly span_id: string;
  readonly project_id: string;
  readonly pipeline_id: string;
  readonly version_id: string;
  readonly params: Record<string, unknown>;
  readonly business_keys: Record<string, string>;
  readonly trigger_kind: string;
  readonly scheduled_at: string | null;
  readonly trace_id: string;
  /** Executions of the predecessors that have given something, by key: what they gave is read apart, and bounded. */
  readonly refs: Record<string, string>;
  readonly completed: boolean;
  readonly result: unknown;
}

/**
 * Takes ready nodes, in one statement: locks the rows that no other claim holds, registers their executions, writes
 * attempts with their snapshots, and the events.
 *
 * Prevents: two workers with one node (the row lock, and the token that rises with it); a worker that is no longer itself
 * (its lease row FOR KEY SHARE, with boot and epoch); a cancelled or paused node that starts (state and hold are tested on
 * the very row that is locked, and whoever cancels or pauses writes that row). It takes no lock on the run.
 * No output rides in the claim: a wide join of large ones would pass what one value may hold, and fail every claim of its group.
 * Index: node_runs_ready (group, rank) where QUEUED and not held, walked once a group up to the limit.
 */
export async function claimReady(db: Executor, request: ClaimRequest): Promise<ClaimRow[]> {
  const { worker, limit } = request;
  const rows = await db.execute<ClaimRow & Record<string, unknown>>(sql`
    with me as materialized (
      select id, boot_id, fingerprint, date_trunc('milliseconds', clock_timestamp()) as at from workers
      where id = ${worker.id} and boot_id = ${worker.bootId}::uuid and epoch = ${worker.epoch} and expires_at > clock_timestamp()
      for key share
    ), ready as materialized (
      select r.run_id, r.key, r.rank from me
      cross join unnest(${textArray(request.groups)}::text[]) as g (name)
      cross join lateral (
        select run_id, key, rank from node_runs
        where state = 'QUEUED' and not held and worker_group = g.name
        order by rank limit ${limit} for no key update skip locked
      ) r
    ), picked as materialized (
      select run_id, key, row_number() over (order by rank) as place from ready order by rank limit ${limit}
    ), claimed as (
      update node_runs n set
        state = 'RUNNING', token = n.token + 1, attempt_no = n.attempt_no + 1, attempts = n.attempts + 1,
        worker_id = me.id, worker_boot = me.boot_id, started_at = coalesce(n.started_at, me.at), due_at = null,
        deadline_at = coalesce(n.deadline_at, me.at + n.deadline_ms * interval '1 millisecond'),
        timeout_at = least(me.at + n.timeout_ms * interval '1 millisecond',
                           coalesce(n.deadline_at, me.at + n.deadline_ms * interval '1 millisecond'))
      from picked p, me
      where n.run_id = p.run_id and n.key = p.key and n.state = 'QUEUED'
      returning n.*, p.place, me.at
    ), registered as (
      update executions e set state = 'EXECUTING', token = c.token, executing_at = c.at
      from claimed c where e.execution_id = c.execution_id and e.state <> 'COMPLETED'
    ), known as materialized (
      select c.run_id, c.key,
        jsonb_object_agg(p.key, p.execution_id) as refs
      from claimed c
      join node_runs p on p.run_id = c.run_id and p.key = any (c.inputs_from)
      join executions e on e.execution_id = p.execution_id and e.state = 'COMPLETED'
      group by c.run_id, c.key
    ), tried as (
      insert into attempts (run_id, node_key, generation, no, execution_id, token, worker_id, worker_boot, worker, refs, run_state,
        trace_id, span_id, queued_at, dispatched_at, maybe_repeated)
      select c.run_id, c.key, c.generation, c.attempt_no, c.execution_id, c.token, c.worker_id, c.worker_boot,
        jsonb_build_object('fingerprint', me.fingerprint), coalesce(k.refs, '{}'), r.state, r.trace_id,
        (${textArray(request.spanIds)}::text[])[c.place], c.queued_at, c.at, c.maybe_repeated
      from claimed c cross join me join runs r on r.id = c.run_id left join known k on k.run_id = c.run_id and k.key = c.key
    ), told as (
      insert into run_events (run_id, at, event, node_key, generation, attempt_no, from_state, to_state, actor, cause, data)
      select run_id, at, 'claimed', key, generation, attempt_no, 'QUEUED', 'RUNNING',
        jsonb_build_object('kind', 'worker', 'id', worker_id, 'label', worker_id), 'a worker took it',
        jsonb_build_object('token', token, 'attempts', attempts)
      from claimed order by place
    )
    select c.run_id, c.key, c.generation, c.attempt_no, c.execution_id, c.token, c.worker_group, c.maybe_repeated, c.queued_at,
      c.timeout_at, c.at, (${textArray(request.spanIds)}::text[])[c.place] as span_id,
      r.project_id, r.pipeline_id, r.version_id, r.params, r.business_keys, r.trigger_kind, r.scheduled_at, r.trace_id,
      coalesce(k.refs, '{}') as refs, e.state = 'COMPLETED' as completed, e.result
    from claimed c
    join runs r on r.id = c.run_id
    join executions e on e.execution_id = c.execution_id
    left join known k on k.run_id = c.run_id and k.key = c.key
    order by c.place
  `);
  return [...rows];
}
