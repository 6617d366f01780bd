import { type Placeholder, sql } from "drizzle-orm";
import type { Executor } from "../../client";
import { textArray } from "../array";
import { prepared } from "../prepared";
import { type ReadRun, type RunRecord, readRunOf } from "./read-runs";

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
  /** The run as it was before the claim; null where it has more nodes than `SMALL_RUN`. */
  readonly before: ReadRun | null;
}

type SentRow = Omit<ClaimRow, "before"> & RunRecord;

type ClaimValues = {
  readonly worker: string;
  readonly boot: string;
  readonly epoch: number;
  readonly groups: string;
  readonly limit: number;
  readonly spanIds: string;
};

/** The most that one statement takes. It stands in the text, so that a plan for any values knows how few rows there are. */
export const CLAIM_STEP = 50;
const STEP = sql.raw(String(CLAIM_STEP));
/** A run of so few nodes comes whole with the claim: its settle then has nothing to read. */
const SMALL_RUN = sql.raw("4");

type Value = (name: keyof ClaimValues & string) => Placeholder;

/** Ready nodes of open lanes by their rank, as many as there are slots for, each with the numbers of its slots. */
const picking = (value: Value) => sql`
  with recursive me as materialized (
    select id, boot_id, fingerprint, date_trunc('milliseconds', clock_timestamp()) as at from workers
    where id = ${value("worker")} and boot_id = ${value("boot")}::uuid and epoch = ${value("epoch")}::integer and expires_at > clock_timestamp()
      and not tripped
    for key share
  ), wide as materialized (
    select g.name, case when (select true from slots s where s.key = 'group:' || g.name limit 1) then (
      select count(*) from (
        select 1 from slots s where s.key = 'group:' || g.name and s.run_id is null and not s.retired limit ${STEP}
      ) f
    ) end as room
    from me cross join unnest((select ${value("groups")}::text[])) as g (name)
  ), lane (worker_group, room, pool_key) as (
    select name, room, '' from wide where room is null or room > 0
    union all
    select l.worker_group, l.room, (
      select n.pool_key from node_runs n
      where n.state = 'QUEUED' and not n.held and n.worker_group = l.worker_group and n.pool_key > l.pool_key order by n.pool_key limit 1
    )
    from lane l where l.pool_key is not null
  ), ready as materialized (
    select r.run_id, r.key, r.rank, l.worker_group, l.pool_key, l.room, l.pool_room
    from (
      select lane.*, case when pool_key <> '' then (
        select count(*) from (
          select 1 from slots s where s.key = pool_key and s.run_id is null and not s.retired limit ${STEP}
        ) f
      ) end as pool_room
      from lane where pool_key is not null
    ) l
    cross join lateral (
      select run_id, key, rank from node_runs n
      where n.state = 'QUEUED' and not n.held and n.worker_group = l.worker_group and n.pool_key = l.pool_key
      order by rank limit least(${value("limit")}::integer, l.room, l.pool_room) for no key update skip locked
    ) r
  ), fits_pool as (
    select *, row_number() over (partition by worker_group order by rank) as place_in_group
    from (select *, row_number() over (partition by pool_key order by rank) as place_in_pool from ready) p
    where pool_room is null or place_in_pool <= pool_room
  ), wanted as materialized (
    select run_id, key, rank, worker_group, room, pool_key from (
      select *, row_number() over (order by rank) as place from fits_pool where room is null or place_in_group <= room
    ) f
    where place <= ${value("limit")}::integer order by rank limit ${STEP}
  ), asked as materialized (
    select slot_key, count(*) as places from (
      select pool_key as slot_key from wanted where pool_key <> '' union all select 'group:' || worker_group from wanted where room is not null
    ) w
    group by slot_key order by slot_key
  ), had as materialized (
    select s.key, s.no, row_number() over (partition by s.key order by s.no) as place
    from asked a cross join lateral (
      select key, no from slots s where s.key = a.slot_key and s.run_id is null and not s.retired
      order by no limit a.places for no key update skip locked
    ) s
  ), pooled as (
    select w.*, h.no as pool_no
    from (select *, row_number() over (partition by pool_key order by rank) as place from wanted) w
    left join had h on h.key = w.pool_key and h.place = w.place
    where w.pool_key = '' or h.no is not null
  ), picked as materialized (
    select p.run_id, p.key, p.pool_no, h.no as group_no, row_number() over (order by p.rank) as place
    from (
      select run_id, key, rank, worker_group, room, pool_no, row_number() over (partition by worker_group order by rank) as place from pooled
    ) p
    left join had h on h.key = 'group:' || p.worker_group and h.place = p.place
    where p.room is null or h.no is not null limit ${STEP}
  )`;

/**
 * What the claim of the picked ones writes, and what a worker needs to execute them. Two things in its update are for the
 * planner, which would else go through a whole month or all that is queued where tables have never been counted: `@>`, which
 * always holds, has it expect one row and so begin with the picked ones, and the state is tested in a way that no index knows.
 */
const taking = (value: Value) => sql`
  claimed as (
    update node_runs n set
      state = 'RUNNING', token = n.token + 1, attempt_no = n.attempt_no + 1, attempts = n.attempts + 1,
      worker_id = me.id, worker_boot = me.boot_id, started_at = coalesce(n.started_at, me.at), due_at = null,
      deadline_at = coalesce(n.deadline_at, me.at + n.deadline_ms * interval '1 millisecond'),
      timeout_at = least(me.at + n.timeout_ms * interval '1 millisecond',
                         coalesce(n.deadline_at, me.at + n.deadline_ms * interval '1 millisecond'))
    from picked p, me
    where to_jsonb(p.place) @> to_jsonb(p.place) and n.run_id = p.run_id and n.key = p.key and n.state || '' = 'QUEUED'
    returning n.*, p.place, p.pool_no, p.group_no, me.at
  ), seated as (
    update slots s set run_id = c.run_id, node_key = c.key, token = c.token
    from (
      select pool_key as slot_key, pool_no as no, run_id, key, token from claimed where pool_no is not null
      union all select 'group:' || worker_group, group_no, run_id, key, token from claimed where group_no is not null
    ) c
    where s.key = c.slot_key and s.no = c.no
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
      (${value("spanIds")}::text[])[c.place], c.queued_at, c.at, c.maybe_repeated
    from claimed c cross join me join runs r on r.id = c.run_id left join known k on k.run_id = c.run_id and k.key = c.key
  ), told as (
    insert into run_events (run_id, at, event, node_key, generation, attempt_no, from_state, to_state, actor, cause, data)
    select run_id, at, 'claimed', key, generation, attempt_no, 'QUEUED', 'RUNNING',
      jsonb_build_object('kind', 'worker', 'id', worker_id, 'label', worker_id), 'a worker took it',
      jsonb_build_object('token', token, 'attempts', attempts)
    from claimed order by place
  )
  select c.run_id, c.key, c.generation, c.attempt_no, c.execution_id, c.token, c.worker_group, c.maybe_repeated, c.queued_at,
    c.timeout_at, c.at, (${value("spanIds")}::text[])[c.place] as span_id,
    r.project_id, r.pipeline_id, r.version_id, r.params, r.business_keys, r.trigger_kind, r.scheduled_at, r.trace_id,
    coalesce(k.refs, '{}') as refs, e.state = 'COMPLETED' as completed, e.result,
    case when s.nodes is not null then to_json(r) end as run, s.nodes
  from claimed c
  join runs r on r.id = c.run_id
  cross join lateral (
    select case when not exists (select from node_runs o where o.run_id = c.run_id offset ${SMALL_RUN}) then
      (select json_agg(x order by x.ord) from node_runs x where x.run_id = c.run_id)
    end as nodes offset 0
  ) s
  join executions e on e.execution_id = c.execution_id
  left join known k on k.run_id = c.run_id and k.key = c.key
  order by c.place
`;

/**
 * Takes ready nodes, in one statement: locks the rows that no other claim holds, takes a slot of each limit that they are
 * under, registers their executions, writes attempts with their snapshots, and the events.
 *
 * Prevents: two workers with one node (the row lock, and the token that rises with it); a worker that is no longer itself
 * (its lease row FOR KEY SHARE, with boot and epoch), or whose breaker is not closed (the same row); a cancelled or paused
 * node that starts (state and hold are tested on the very row that is locked, and whoever cancels or pauses writes that
 * row); more attempts than a limit allows (each
 * takes a slot row, which one claim can have; they are locked in the order of their keys, and none is ever waited for). It
 * takes no lock on the run. Ready nodes lie in lanes, one for each group and pool: a lane whose pool or group is full is
 * passed by as a whole, so what waits in it stands before nobody else, however much it is.
 * No output rides in the claim: a wide join of large ones would pass what one value may hold, and fail every claim of its group.
 * Index: node_runs_ready (group, pool, rank) where QUEUED and not held: one probe a lane, and each open lane is walked up to
 * what its limits leave; slots_free and the key of slots.
 */
const claim = prepared<SentRow, ClaimValues>((value) => sql`${picking(value)}, ${taking(value)}`);

export async function claimReady(db: Executor, { worker, groups, limit, spanIds }: ClaimRequest): Promise<ClaimRow[]> {
  const rows = await claim(db, {
    worker: worker.id,
    boot: worker.bootId,
    epoch: worker.epoch,
    groups: textArray(groups),
    limit,
    spanIds: textArray(spanIds),
  });
  return rows.map(({ run, nodes, ...row }) => ({ ...row, before: readRunOf({ run, nodes }) }));
}
