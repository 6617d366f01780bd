-- Commits what was decided on some runs: runs, nodes, register, attempts, events, error events and freed slots, in one call and
-- so in one commit (IDM-4). It is a function, because its plans must not depend on how many rows a table has had when it was
-- last counted: they are made once a connection, by the settings below, and always go by the keys. Rows come as arrays, since
-- a name in every cell costs more to read than the cell.
--
-- Three things in its joins are for the planner. `x.v @> '[]'`, which always holds, has it expect one row and so begin with the
-- given rows; what an operator costs makes the other order dear. `>= lo` lets months before be left out when the plan is opened,
-- and `<= hi` those after; the latter is said in two halves, since a closed range would look like a better key than the key.
--
-- A run whose `seq` has moved since it was read is refused: nothing of it is written, and it is named in `refused`. A node row
-- that is not as it was read (a claim raises no `seq`) aborts the whole call with 40001. What is handed on needs the lease of the
-- worker, held FOR KEY SHARE, and groups without a limit; what a leader writes needs its term, held likewise. Else nothing at all
-- is written, and `leased` or `limited` says why. A leader waits for nobody: a run that somebody holds is refused too.
create function apply_decisions(p jsonb, out at timestamptz, out leased boolean, out limited text[], out refused uuid[], out freed text[])
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
set cpu_operator_cost = 10
set jit = off
as $$
declare
  -- All ids of the call lie between these two, so that other months are not even opened.
  lo uuid := (p ->> 'lo')::uuid;
  hi uuid := (p ->> 'hi')::uuid;
  fingerprint jsonb;
  held uuid[];
  accepted uuid[];
  written integer;
begin
  refused := '{}';
  if p ? 'lease' then
    select w.fingerprint, (
      select array_agg(g.name) from jsonb_array_elements_text(p -> 'groups') as g (name)
      where exists (select from slots s where s.key = 'group:' || g.name)
    ) into fingerprint, limited
    from workers w
    where w.id = p -> 'lease' ->> 0 and w.boot_id = (p -> 'lease' ->> 1)::uuid and w.epoch = (p -> 'lease' ->> 2)::integer
      and w.expires_at > clock_timestamp() and not w.tripped
    for key share of w;
    leased := found;
    if not leased or limited is not null then return; end if;
  end if;
  if p ? 'term' then
    perform from leases l
    where l.name = p -> 'term' ->> 0 and l.epoch = (p -> 'term' ->> 1)::integer and l.expires_at > clock_timestamp() for key share of l;
    leased := found;
    if not leased then return; end if;
    select coalesce(array_agg(f.id), '{}') into held from (
      select r.id from jsonb_array_elements(p -> 'runs') as x (v) join runs r on r.id = (x.v ->> 0)::uuid
      where x.v @> '[]' and r.id >= lo and (r.id <= hi or r.id = hi) for no key update of r skip locked
    ) f;
  end if;
  if p ? 'runs' then
    with ran as (
      update runs r set
        seq = r.seq + 1, state = x.v ->> 2, paused_by_person = (x.v ->> 3)::boolean,
        cancel_requested_at = (x.v ->> 4)::timestamptz, started_at = (x.v ->> 5)::timestamptz, ended_at = (x.v ->> 6)::timestamptz
      from jsonb_array_elements(p -> 'runs') as x (v)
      where x.v @> '[]' and r.id = (x.v ->> 0)::uuid and r.id >= lo and (r.id <= hi or r.id = hi) and r.seq = (x.v ->> 1)::integer
        and (held is null or r.id = any (held))
      returning r.id
    )
    select array_agg(ran.id) into accepted from ran;
    if coalesce(cardinality(accepted), 0) < jsonb_array_length(p -> 'runs') then
      select array_agg(x.v) into refused from jsonb_array_elements(p -> 'runs') as e (v) cross join lateral (select (e.v ->> 0)::uuid) as x (v)
      where x.v <> all (coalesce(accepted, '{}'));
    end if;
  end if;
  if p ? 'nodes' then
    update node_runs n set
      state = x.v ->> 4,
      generation = coalesce((x.v ->> 6)::integer, n.generation), execution_id = coalesce((x.v ->> 7)::uuid, n.execution_id),
      token = coalesce((x.v ->> 8)::integer, n.token), attempt_no = coalesce((x.v ->> 9)::integer, n.attempt_no),
      attempts = coalesce((x.v ->> 10)::integer, n.attempts), held = coalesce((x.v ->> 11)::boolean, n.held),
      maybe_repeated = coalesce((x.v ->> 12)::boolean, n.maybe_repeated),
      rank = coalesce((x.v ->> 13)::timestamptz, n.rank),
      ready_at = case when x.v -> 5 = 'true' then (x.v ->> 14)::timestamptz else coalesce((x.v ->> 14)::timestamptz, n.ready_at) end,
      queued_at = case when x.v -> 5 = 'true' then (x.v ->> 15)::timestamptz else coalesce((x.v ->> 15)::timestamptz, n.queued_at) end,
      deadline_at = case when x.v -> 5 = 'true' then (x.v ->> 16)::timestamptz else coalesce((x.v ->> 16)::timestamptz, n.deadline_at) end,
      started_at = case when x.v -> 5 = 'true' then (x.v ->> 17)::timestamptz else coalesce((x.v ->> 17)::timestamptz, n.started_at) end,
      due_at = (x.v ->> 18)::timestamptz, timeout_at = (x.v ->> 19)::timestamptz, ended_at = (x.v ->> 20)::timestamptz,
      worker_id = x.v ->> 21, worker_boot = (x.v ->> 22)::uuid, error_code = x.v ->> 23, error_message = x.v ->> 24,
      skip_cause = x.v ->> 25
    from jsonb_array_elements(p -> 'nodes') as x (v)
    where x.v @> '[]' and n.run_id = (x.v ->> 0)::uuid and n.run_id >= lo and (n.run_id <= hi or n.run_id = hi) and n.key = x.v ->> 1 and n.state = x.v ->> 2
      and n.token = (x.v ->> 3)::integer and n.run_id <> all (refused);
    get diagnostics written = row_count;
    if written < (case when refused = '{}' then jsonb_array_length(p -> 'nodes')
      else (select count(*) from jsonb_array_elements(p -> 'nodes') as x (v) where (x.v ->> 0)::uuid <> all (refused)) end) then
      raise exception 'a node has moved on since it was read' using errcode = '40001';
    end if;
  end if;
  if p ? 'born' then
    insert into executions (execution_id, run_id, node_key, state, token, replaces, registered_at)
    select (x.v ->> 0)::uuid, (x.v ->> 1)::uuid, x.v ->> 2, 'REGISTERED', (x.v ->> 3)::integer, (x.v ->> 4)::uuid, (x.v ->> 5)::timestamptz
    from jsonb_array_elements(p -> 'born') as x (v)
    where (x.v ->> 1)::uuid <> all (refused);
  end if;
  if p ? 'executions' then
    update executions e set
      state = x.v ->> 2, token = (x.v ->> 3)::integer, executing_at = coalesce((x.v ->> 4)::timestamptz, e.executing_at),
      completed_at = coalesce((x.v ->> 5)::timestamptz, e.completed_at), completed_by = coalesce(x.v ->> 6, e.completed_by),
      result = coalesce(nullif(x.v -> 7, 'null'), e.result)
    from jsonb_array_elements(p -> 'executions') as x (v)
    where x.v @> '[]' and e.execution_id = (x.v ->> 1)::uuid and e.execution_id >= lo and (e.execution_id <= hi or e.execution_id = hi) and e.state <> 'COMPLETED'
      and (x.v ->> 0)::uuid <> all (refused);
  end if;
  if p ? 'closed' then
    with ended as (
      update attempts a set
        outcome = x.v ->> 4, committed_at = (x.v ->> 5)::timestamptz, error_code = x.v ->> 6, error_message = x.v ->> 7,
        picked_up_at = coalesce((x.v ->> 8)::timestamptz, a.picked_up_at), executing_at = coalesce((x.v ->> 9)::timestamptz, a.executing_at),
        log_bytes = coalesce((x.v ->> 10)::bigint, a.log_bytes), log_truncated = coalesce((x.v ->> 11)::boolean, a.log_truncated),
        inputs = coalesce(nullif(x.v -> 12, 'null'), a.inputs), output = coalesce(nullif(x.v -> 13, 'null'), a.output),
        response = coalesce(nullif(x.v -> 14, 'null'), a.response)
      from jsonb_array_elements(p -> 'closed') as x (v)
      where x.v @> '[]' and a.run_id = (x.v ->> 0)::uuid and a.run_id >= lo and (a.run_id <= hi or a.run_id = hi) and a.node_key = x.v ->> 1 and a.generation = (x.v ->> 2)::integer
        and a.no = (x.v ->> 3)::integer and a.outcome is null and a.run_id <> all (refused)
      returning a.run_id, a.node_key, a.token
    ), cleared as (
      -- By its token: a late end of one attempt never frees what a later one holds.
      update slots s set run_id = null, node_key = null, token = null
      from ended e where s.run_id = e.run_id and s.node_key = e.node_key and s.token = e.token
      returning s.key
    )
    select array_agg(distinct cleared.key) into freed from cleared;
  end if;
  if p ? 'opened' then
    insert into attempts (run_id, node_key, generation, no, execution_id, token, worker_id, worker_boot, worker, refs, run_state, trace_id,
      span_id, queued_at, dispatched_at, executing_at, maybe_repeated, handed_on)
    select (x.v ->> 0)::uuid, x.v ->> 1, (x.v ->> 2)::integer, (x.v ->> 3)::integer, (x.v ->> 4)::uuid, (x.v ->> 5)::integer, x.v ->> 6,
      (x.v ->> 7)::uuid,
      case when x.v ->> 6 is not null then coalesce(nullif(x.v -> 8, 'null'), jsonb_build_object('fingerprint', fingerprint)) end, x.v -> 9,
      x.v ->> 10, x.v ->> 11, x.v ->> 12, (x.v ->> 13)::timestamptz, (x.v ->> 14)::timestamptz, (x.v ->> 15)::timestamptz,
      (x.v ->> 16)::boolean, (x.v ->> 17)::boolean
    from jsonb_array_elements(p -> 'opened') as x (v)
    where (x.v ->> 0)::uuid <> all (refused);
  end if;
  if p ? 'events' then
    insert into run_events (run_id, at, event, node_key, generation, attempt_no, from_state, to_state, cause, data, actor)
    select (x.v ->> 0)::uuid, (x.v ->> 1)::timestamptz, x.v ->> 2, x.v ->> 3, (x.v ->> 4)::integer, (x.v ->> 5)::integer, x.v ->> 6,
      x.v ->> 7, x.v ->> 8, x.v -> 9, coalesce(x.v -> 10, p -> 'actor')
    from jsonb_array_elements(p -> 'events') as x (v)
    where (x.v ->> 0)::uuid <> all (refused);
  end if;
  if p ? 'errors' then
    insert into error_events (run_id, id, project_id, pipeline_id, node_key, generation, attempt_no, execution_id, code, message, stack,
      stack_hash, retry_count, context, trace_id, worker_id, at, said_code)
    select (x.v ->> 0)::uuid, (x.v ->> 1)::uuid, (x.v ->> 2)::uuid, (x.v ->> 3)::uuid, x.v ->> 4, (x.v ->> 5)::integer, (x.v ->> 6)::integer,
      (x.v ->> 7)::uuid, x.v ->> 8, x.v ->> 9, x.v ->> 10, x.v ->> 11, (x.v ->> 12)::integer, x.v -> 13, x.v ->> 14, x.v ->> 15,
      (x.v ->> 16)::timestamptz, x.v ->> 17
    from jsonb_array_elements(p -> 'errors') as x (v)
    where (x.v ->> 0)::uuid <> all (refused);
  end if;
  at := date_trunc('milliseconds', clock_timestamp());
end $$;
