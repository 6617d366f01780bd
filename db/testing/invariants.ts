/** Anything that sends one statement with parameters: `postgres`'s Sql has it. */
interface Asker {
  unsafe(query: string, parameters: never[]): PromiseLike<Iterable<unknown>>;
}

export interface Invariant {
  readonly name: string;
  /**
   * `always` holds after every commit. `at rest` holds once the engine has had time to recover. `on a true clock` holds
   * where no test has moved a due time.
   */
  readonly holds: "always" | "at rest" | "on a true clock";
  /** The rows that break it, as (run_id, key, detail); `r` are the runs that are looked at. */
  readonly broken: string;
}

export interface Broken {
  readonly invariant: string;
  readonly runId: string | null;
  readonly key: string | null;
  readonly detail: string | null;
}

const ENDED = "('SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED')";
const LEAVES_FOR_GOOD = "('SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED', 'MANUAL_REVIEW')";
const LIVE = "('QUEUED', 'RUNNING', 'RETRYING', 'AWAITING_APPROVAL')";

/** Steps of nodes; what came late has changed nothing. */
const STEPS =
  "(select e.*, e.xmin::text as tx from r join run_events e on e.run_id = r.id where e.node_key is not null and e.event not like 'late.%')";

/** A node's own definition in the version that its run is pinned to. */
const DEFINED = `(select r.id as run_id, d ->> 'key' as key, d from r join pipeline_versions v on v.id = r.version_id
  cross join lateral jsonb_array_elements(v.definition -> 'spec' -> 'nodes') as d)`;

/** For each step that lets a node start or passes it by: how many parents it had then, and what they were, from the events alone. */
const PARENTS_THEN = `(
  select s.run_id, s.node_key, s.event, s.generation, s.data ->> 'skipCause' as skip_cause, d.d ->> 'join' as rule, count(p.need) as parents,
    count(*) filter (where p.state = 'SUCCESS' or (p.state = 'SKIPPED' and p.skip_cause = 'person')) as succeeded,
    count(*) filter (where p.state in ${ENDED}) as ended,
    count(*) filter (where p.state in ('FAILED', 'TIMEOUT', 'CANCELED')) as broken
  from ${STEPS} s join ${DEFINED} d on d.run_id = s.run_id and d.key = s.node_key
  left join lateral (
    select need, last.to_state as state, last.skip_cause from jsonb_array_elements_text(coalesce(d.d -> 'needs', '[]')) as need
    left join lateral (
      select b.to_state, b.data ->> 'skipCause' as skip_cause from run_events b
      where b.run_id = s.run_id and b.node_key = need and b.id < s.id and b.event not like 'late.%' order by b.id desc limit 1
    ) last on true
  ) p on true
  where s.event in ('ready', 'waitStarted', 'branchNotTaken')
  group by s.run_id, s.id, s.node_key, s.event, s.generation, s.data, d.d
)`;

/** By their numbers in the reliability notes, as SQL over the tables; each answers with what breaks it, so with nothing. */
export const INVARIANTS: readonly Invariant[] = [
  {
    name: "1 only listed transitions occur",
    holds: "always",
    broken: `select run_id, node_key, event || ': ' || from_state || '>' || to_state from ${STEPS} s
      where (from_state || '>' || to_state) <> all (allowed_node_pairs())`,
  },
  {
    name: "1 each step begins where the one before it ended, and only what leaves for good begins a new generation",
    holds: "always",
    broken: `select run_id, node_key, event || ' from ' || from_state || ' after ' || was || ', generation ' || generation from (
        select s.*, lag(to_state, 1, 'PENDING') over node as was, lag(generation, 1, 1) over node as old from ${STEPS} s
        window node as (partition by run_id, node_key order by id)) s
      where was <> from_state or generation <> old + (from_state in ${LEAVES_FOR_GOOD})::integer`,
  },
  {
    name: "the fold of the events is the rows of the nodes",
    holds: "always",
    broken: `select n.run_id, n.key, n.state || ' ' || n.generation || '/' || n.attempt_no || ', and by its events ' || coalesce(f.state, 'PENDING') from r
      join node_runs n on n.run_id = r.id
      left join lateral (select s.to_state as state, s.generation, s.attempt_no from run_events s
        where s.run_id = n.run_id and s.node_key = n.key and s.event not like 'late.%' order by s.id desc limit 1) f on true
      left join lateral (select (s.data ->> 'token')::integer as token from run_events s where s.run_id = n.run_id and s.node_key = n.key
        and s.event not like 'late.%' and s.data ? 'token' order by s.id desc limit 1) t on true
      where (n.state, n.generation, n.attempt_no, n.token)
        is distinct from (coalesce(f.state, 'PENDING'), coalesce(f.generation, 1), coalesce(f.attempt_no, 0), coalesce(t.token, 0))`,
  },
  {
    name: "the fold of the events is the row of the run",
    holds: "always",
    broken: `select r.id, null, r.state || ', and by its events ' || coalesce(f.to_state, 'none') from r
      left join lateral (select e.to_state from run_events e where e.run_id = r.id and e.node_key is null and e.to_state is not null
        order by e.id desc limit 1) f on true
      where r.state is distinct from f.to_state`,
  },
  {
    name: "2 attempts are numbered without gaps",
    holds: "always",
    broken: `select a.run_id, a.node_key, 'generation ' || a.generation || ' has ' || count(*) || ' up to ' || max(a.no) from r
      join attempts a on a.run_id = r.id group by a.run_id, a.node_key, a.generation having max(a.no) <> count(*) or min(a.no) <> 1`,
  },
  {
    name: "2 one attempt executes while its node runs, and none otherwise",
    holds: "always",
    broken: `select n.run_id, n.key, n.state || ' with ' || count(a.no) || ' open attempts' from r join node_runs n on n.run_id = r.id
      left join attempts a on a.run_id = n.run_id and a.node_key = n.key and a.outcome is null
      group by n.run_id, n.key, n.state, n.token, n.generation, n.attempt_no
      having count(a.no) <> (n.state = 'RUNNING')::integer
        or bool_or((a.token, a.generation, a.no) is distinct from (n.token, n.generation, n.attempt_no)) filter (where a.no is not null)`,
  },
  {
    name: "3 an execution is accepted once at most",
    holds: "always",
    broken: `select a.run_id, a.node_key, 'execution ' || a.execution_id || ' succeeded ' || count(*) || ' times' from r
      join attempts a on a.run_id = r.id where a.outcome = 'succeeded' group by a.run_id, a.node_key, a.execution_id having count(*) > 1`,
  },
  {
    name: "3 the register says what the node says",
    holds: "always",
    broken: `select n.run_id, n.key, n.state || ' with an execution that is ' || coalesce(e.state, 'not registered') from r
      join node_runs n on n.run_id = r.id left join executions e on e.execution_id = n.execution_id
      where e.state is distinct from case n.state when 'SUCCESS' then 'COMPLETED' when 'RUNNING' then 'EXECUTING' else 'REGISTERED' end
        and not (n.state = 'RUNNING' and e.state = 'COMPLETED')`,
  },
  {
    name: "3 a new execution replaces a completed one",
    holds: "always",
    broken: `select e.run_id, e.node_key, e.execution_id || ' replaces one that is ' || coalesce(o.state, 'unknown') from r
      join executions e on e.run_id = r.id left join executions o on o.execution_id = e.replaces
      where e.replaces is not null and o.state is distinct from 'COMPLETED'`,
  },
  {
    name: "4 registered, executing, completed: forward only in time",
    holds: "always",
    broken: `select e.run_id, e.node_key, e.execution_id::text from r join executions e on e.run_id = r.id
      where e.executing_at < e.registered_at or e.completed_at < e.executing_at or e.completed_at < e.registered_at
      union all select a.run_id, a.node_key, 'attempt ' || a.no || ' was committed before it began' from r
      join attempts a on a.run_id = r.id where a.committed_at < a.dispatched_at`,
  },
  {
    name: "5 a node starts only if its rule holds for what its parents were then",
    holds: "always",
    broken: `select run_id, node_key, coalesce(rule, 'all_success') || ' with ' || succeeded || ' of ' || parents || ' succeeded, ' || ended || ' ended'
      from ${PARENTS_THEN} p where event in ('ready', 'waitStarted') and not case coalesce(rule, 'all_success')
        when 'all_success' then succeeded = parents
        when 'all_done' then ended = parents
        when 'one_success' then parents = 0 or succeeded > 0
        when 'none_failed' then parents = 0 or (ended = parents and broken = 0 and succeeded > 0) end`,
  },
  {
    name: "6 a join starts once in a generation",
    holds: "always",
    broken: `select run_id, node_key, count(*) || ' times in generation ' || generation from ${STEPS} s
      where event in ('ready', 'waitStarted') group by run_id, node_key, generation having count(*) > 1`,
  },
  {
    name: "7 a skip is passed on when every parent has ended, never before",
    holds: "always",
    broken: `select run_id, node_key, ended || ' of ' || parents || ' had ended' from ${PARENTS_THEN} p
      where event = 'branchNotTaken' and skip_cause = 'upstream' and ended < parents`,
  },
  {
    name: "8 the state of a run is a function of its nodes and of what people asked for",
    holds: "always",
    broken: `select id, null, state || ', and by its nodes ' || wanted from (
        select r.id, r.state, case
          when r.cancel_requested_at is not null and n.ended then 'CANCELED'
          when r.started_at is null then case when r.paused_by_person then 'PAUSED' else 'PENDING' end
          when n.good then 'SUCCESS'
          when r.paused_by_person and not n.ended then 'PAUSED'
          when n.live then 'RUNNING'
          when v.definition -> 'spec' ->> 'onFailure' = 'pause' or not n.ended then 'PAUSED' else 'FAILED' end as wanted
        from r join pipeline_versions v on v.id = r.version_id cross join lateral (
          select coalesce(bool_and(state in ${ENDED}), true) as ended, coalesce(bool_and(state in ('SUCCESS', 'SKIPPED')), true) as good,
            coalesce(bool_or(state in ${LIVE}), false) as live
          from node_runs where run_id = r.id) n) s
      where state <> wanted`,
  },
  {
    name: "9 nothing of a cancelled run starts after the cancel",
    holds: "always",
    broken: `select a.run_id, a.node_key, a.dispatched_at || ' is after ' || r.cancel_requested_at from r
      join attempts a on a.run_id = r.id where a.dispatched_at > r.cancel_requested_at`,
  },
  {
    name: "10 no more runs of a pipeline are active than it allows",
    holds: "always",
    broken: `select null::uuid, null, r.pipeline_id || ' has ' || count(*) || ' active runs' from r join pipeline_versions v on v.id = r.version_id
      where r.state in ('RUNNING', 'PAUSED') and r.started_at is not null and v.definition -> 'spec' ? 'concurrency'
      group by r.pipeline_id having count(*) > max((v.definition -> 'spec' ->> 'concurrency')::integer)`,
  },
  {
    name: "10 a slot is taken by an attempt that executes, and by no other",
    holds: "always",
    broken: `select s.run_id, s.node_key, s.key || ' ' || s.no || ' is held by token ' || coalesce(s.token, -1) from slots s
      left join node_runs n on n.run_id = s.run_id and n.key = s.node_key
      where s.run_id is not null and (n.state is distinct from 'RUNNING' or n.token <> s.token)
        and ($1::uuid[] is null or s.run_id = any ($1::uuid[]))`,
  },
  {
    name: "18 each step that a failure caused has its error event in the same transaction, and none is without a step",
    holds: "always",
    broken: `select coalesce(s.run_id, x.run_id), coalesce(s.node_key, x.node_key), coalesce(s.steps, 0) || ' steps and ' || coalesce(x.errors, 0) || ' error events'
      from (select run_id, node_key, generation, attempt_no, data ->> 'code' as code, tx, count(*) as steps from ${STEPS} s
        where data ? 'code' group by 1, 2, 3, 4, 5, 6) s
      full join (select x.run_id, x.node_key, x.generation, x.attempt_no, x.code, x.xmin::text as tx, count(*) as errors
        from r join error_events x on x.run_id = r.id group by 1, 2, 3, 4, 5, 6) x
      using (run_id, node_key, generation, attempt_no, code, tx) where s.steps is distinct from x.errors`,
  },
  {
    name: "18 whatever ends badly has told why",
    holds: "always",
    broken: `select run_id, node_key, event || ' to ' || to_state from ${STEPS} s
      where to_state in ('FAILED', 'TIMEOUT', 'RETRYING') and not data ? 'code'`,
  },
  {
    name: "19 attempts stay within the budget",
    holds: "always",
    broken: `select a.run_id, a.node_key, 'generation ' || a.generation || ' has ' || count(*) || ' charged attempts' from r
      join attempts a on a.run_id = r.id join ${DEFINED} d on d.run_id = a.run_id and d.key = a.node_key
      where a.outcome is distinct from 'handed_back'
      group by a.run_id, a.node_key, a.generation, d.d having count(*) > 1 + case
        when d.d -> 'retry' ? 'retries' then (d.d -> 'retry' ->> 'retries')::integer when d.d -> 'retry' ->> 'policy' = 'none' then 0 else 3 end`,
  },
  {
    name: "19 no retry comes before its time",
    holds: "on a true clock",
    broken: `select run_id, node_key, at || ' is before ' || due from (
        select s.*, lag(data ->> 'dueAt') over (partition by run_id, node_key order by id)::timestamptz as due from ${STEPS} s) s
      where event = 'retryDue' and at < due`,
  },
  {
    name: "21 what a person did stands in the audit, once, in the same transaction",
    holds: "always",
    broken: `select w.run_id, null, w.tx || ' has ' || (select count(*) from audit a where a.object_kind = 'run' and a.object_id = w.run_id::text and a.xmin::text = w.tx) || ' audit rows'
      from (select distinct e.run_id, e.xmin::text as tx, r.pipeline_id from r join run_events e on e.run_id = r.id
        where e.data ? 'reason' and e.actor ->> 'kind' in ('user', 'token')) w
      where 1 <> (select count(*) from audit a where a.object_kind = 'run' and a.object_id = w.run_id::text and a.xmin::text = w.tx)
        and not exists (select 1 from audit a where a.object_kind = 'pipeline' and a.object_id = w.pipeline_id::text and a.xmin::text = w.tx)`,
  },
  {
    name: "22 nothing stays past its own time",
    holds: "at rest",
    broken: `select n.run_id, n.key, n.state || ' since ' || coalesce(n.due_at, n.timeout_at) from r join node_runs n on n.run_id = r.id
      where not n.held and ((n.state in ('RUNNING', 'RETRYING') and n.due_at < clock_timestamp() - interval '60 seconds')
        or (n.state = 'RUNNING' and n.timeout_at < clock_timestamp() - interval '60 seconds'))`,
  },
  {
    name: "24 a run has the nodes of its version, no more and no fewer",
    holds: "always",
    broken: `select coalesce(n.run_id, d.run_id), coalesce(n.key, d.key), case when d.key is null then 'is in no version' else 'is missing' end
      from (select n.run_id, n.key from r join node_runs n on n.run_id = r.id) n full join ${DEFINED} d using (run_id, key)
      where n.key is null or d.key is null`,
  },
  {
    name: "a pause holds every node that has not ended, and nothing else holds one",
    holds: "always",
    broken: `select n.run_id, n.key, n.state || case when n.held then ' is held' else ' is not held' end from r join node_runs n on n.run_id = r.id
      where n.state not in ${ENDED} and n.held <> r.paused_by_person`,
  },
];

export interface Look {
  /** Only these runs; all of them where it is left out. */
  readonly runIds?: readonly string[];
  /** Which kinds of invariants hold now; those that always hold are looked at in any case. */
  readonly also?: readonly Invariant["holds"][];
}

/** What is broken in the tables, in one snapshot; empty is right. A few rows of each are enough to go after it. */
export async function brokenInvariants(client: Asker, { runIds, also = [] }: Look = {}): Promise<Broken[]> {
  const looked = INVARIANTS.filter(({ holds }) => holds === "always" || also.includes(holds));
  const parts = looked.map(
    ({ name, broken }) => `(select '${name}' as invariant, b.* from (${broken}) as b (run_id, key, detail) limit 5)`,
  );
  const query = `with r as (select * from runs where $1::uuid[] is null or id = any ($1::uuid[])) ${parts.join("\nunion all ")}`;
  const rows = await client.unsafe(query, [runIds === undefined ? null : `{${runIds.join(",")}}`] as never[]);
  return [...rows].map((row) => {
    const { invariant, run_id, key, detail } = row as Record<string, string | null>;
    return { invariant: invariant ?? "", runId: run_id ?? null, key: key ?? null, detail: detail ?? null };
  });
}
