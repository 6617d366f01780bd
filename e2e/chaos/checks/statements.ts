/** One invariant as a statement: each row that it gives is a violation, and stands in the report as evidence. */
export interface Statement {
  /** As in docs/reliability.md. */
  readonly id: string;
  readonly title: string;
  /** `scope` is the runs that are looked at; $1 and $2 are from when and until when they were made. */
  readonly text: string;
}

const LIMIT = 5;

const SCOPE = `with scope as materialized (select * from runs where created_at >= $1::timestamptz and created_at <= $2::timestamptz)`;

const statement = (id: string, title: string, body: string): Statement => ({ id, title, text: `${SCOPE}\n${body}\nlimit ${LIMIT}` });

const LIVE = `('PENDING','QUEUED','RUNNING','RETRYING','AWAITING_APPROVAL')`;

/** What must hold of the tables when all has come to rest, whatever has been done to the processes. */
export const STATEMENTS: readonly Statement[] = [
  statement(
    "I1",
    "each step of a node begins where the one before it ended, and only listed transitions occur",
    `select * from (
       select e.run_id, e.node_key, e.id, e.event, e.from_state, e.to_state,
         lag(e.to_state, 1, 'PENDING') over (partition by e.run_id, e.node_key order by e.id) as was
       from run_events e join scope r on r.id = e.run_id
       where e.node_key is not null and e.event not like 'late.%' and e.to_state is not null
     ) step
     where from_state is distinct from was
       or (from_state is distinct from to_state and not (from_state || '>' || to_state) = any (allowed_node_pairs()))`,
  ),
  statement(
    "I2",
    "attempts of a node are numbered without a gap, and none stays open when its node has ended",
    `select * from (
       select a.run_id, a.node_key, a.generation, count(*) as n, max(a.no) as last, min(a.no) as first,
         count(*) filter (where a.outcome is null) as open, max(n.attempt_no) filter (where n.generation = a.generation) as told,
         max(n.state) as state
       from attempts a join scope r on r.id = a.run_id join node_runs n on n.run_id = a.run_id and n.key = a.node_key
       group by a.run_id, a.node_key, a.generation
     ) of_node
     where first <> 1 or last <> n or (told is not null and told <> last) or open > 1 or (open = 1 and state <> 'RUNNING')`,
  ),
  statement(
    "I2b",
    "a node that runs has exactly one open attempt, under the node's own token",
    `select n.run_id, n.key, n.token, count(a.no) as open
     from node_runs n join scope r on r.id = n.run_id
     left join attempts a on a.run_id = n.run_id and a.node_key = n.key and a.generation = n.generation and a.outcome is null and a.token = n.token
     where n.state = 'RUNNING' and n.worker_id is not null
     group by n.run_id, n.key, n.token having count(a.no) <> 1`,
  ),
  statement(
    "I3",
    "an execution has at most one accepted result, and it is completed exactly when its node succeeded by a worker",
    `select e.execution_id, e.run_id, e.node_key, e.state, n.state as node_state, a.accepted
     from executions e join scope r on r.id = e.run_id
     join node_runs n on n.run_id = e.run_id and n.key = e.node_key and n.execution_id = e.execution_id
     left join lateral (
       select count(*) filter (where outcome = 'succeeded') as accepted from attempts a where a.run_id = e.run_id and a.execution_id = e.execution_id
     ) a on true
     where a.accepted > 1 or (e.state = 'COMPLETED') <> (n.state = 'SUCCESS') or (n.state = 'SUCCESS' and a.accepted <> 1)`,
  ),
  statement(
    "I3b",
    "a node's acceptance stands in its history exactly once a generation",
    `select e.run_id, e.node_key, e.generation, count(*) as accepted
     from run_events e join scope r on r.id = e.run_id where e.event = 'succeeded'
     group by e.run_id, e.node_key, e.generation having count(*) > 1`,
  ),
  statement(
    "I4",
    "an execution goes forward in time: registered, executing, completed",
    `select e.* from executions e join scope r on r.id = e.run_id
     where e.executing_at < e.registered_at or e.completed_at < e.executing_at`,
  ),
  statement(
    "I5",
    "a node starts only after each of its predecessors has succeeded (all of the load joins on success)",
    `, needs as (
       select r.id as run_id, n ->> 'key' as key, need from scope r join pipeline_versions v on v.id = r.version_id
       cross join lateral jsonb_array_elements(v.definition -> 'spec' -> 'nodes') n
       cross join lateral jsonb_array_elements_text(coalesce(n -> 'needs', '[]'::jsonb)) need
       where coalesce(n ->> 'join', 'all_success') = 'all_success'
     ), begun as (
       select e.run_id, e.node_key, min(e.id) as id from run_events e join scope r on r.id = e.run_id
       where e.to_state = 'RUNNING' and e.generation = 1 group by e.run_id, e.node_key
     ), ended as (
       select e.run_id, e.node_key, min(e.id) as id from run_events e join scope r on r.id = e.run_id
       where e.to_state in ('SUCCESS','SKIPPED') group by e.run_id, e.node_key
     )
     select needs.run_id, needs.key, needs.need, begun.id as begun, ended.id as ended
     from needs join begun on begun.run_id = needs.run_id and begun.node_key = needs.key
     left join ended on ended.run_id = needs.run_id and ended.node_key = needs.need
     where ended.id is null or ended.id > begun.id`,
  ),
  statement(
    "I6",
    "a node, a join too, leaves PENDING once a generation",
    `select e.run_id, e.node_key, e.generation, count(*) as starts from run_events e join scope r on r.id = e.run_id
     where e.from_state = 'PENDING' and e.to_state <> 'PENDING' and e.event not like 'late.%'
     group by e.run_id, e.node_key, e.generation having count(*) > 1`,
  ),
  statement(
    "I8",
    "a run has ended exactly when none of its nodes is waiting or active, and a success has no node that failed",
    `select r.id, r.state, array_agg(distinct n.state) as nodes from scope r join node_runs n on n.run_id = r.id
     group by r.id, r.state
     having (r.state in ('SUCCESS','FAILED','CANCELED') and bool_or(n.state in ${LIVE} or n.state = 'MANUAL_REVIEW'))
       or (r.state = 'SUCCESS' and bool_or(n.state in ('FAILED','TIMEOUT','CANCELED')))
       or (r.state in ('PENDING','RUNNING') and not bool_or(n.state in ${LIVE}))`,
  ),
  statement(
    "I9",
    "after the commit of a cancel no node of its run starts",
    // By the commits themselves: what began before a cancel's commit may be told with a later instant than its request.
    `, cancels as (
       select e.run_id, max(pg_xact_commit_timestamp(e.xmin)) as at from run_events e join scope r on r.id = e.run_id
       where e.event = 'run.cancelRequested' and r.cancel_requested_at is not null group by e.run_id
     )
     select e.run_id, e.node_key, e.event, e.at, pg_xact_commit_timestamp(e.xmin) as began, c.at as cancelled
     from run_events e join cancels c on c.run_id = e.run_id
     where e.to_state = 'RUNNING' and e.node_key is not null and e.event not like 'late.%' and pg_xact_commit_timestamp(e.xmin) > c.at`,
  ),
  statement(
    "I12",
    "a fire made one run, and each run of a schedule has its fire",
    `select 'a run without a fire' as what, r.id, r.schedule_id, r.scheduled_at from scope r
     where r.trigger_kind = 'schedule' and not exists (select from fires f where f.run_id = r.id)
     union all
     select 'a fire without its run', f.id, f.schedule_id, f.fire_at from fires f
     where f.created_at >= $1::timestamptz and f.created_at <= $2::timestamptz and f.verdict in ('ran','late','caught_up')
       and not exists (select from runs r where r.id = f.run_id)
     union all
     select 'a slot with two runs', min(r.id::text)::uuid, r.schedule_id, r.scheduled_at from scope r
     where r.trigger_kind = 'schedule' group by r.schedule_id, r.scheduled_at having count(*) > 1`,
  ),
  statement(
    "I13",
    "no slot is lost: a schedule's fires stand one beside the other as its expression says",
    `select * from (
       select s.name, f.schedule_id, f.schedule_version, f.fire_at, f.fire_at - lag(f.fire_at) over w as gap, s.expression
       from fires f join schedules s on s.id = f.schedule_id
       where f.created_at >= $1::timestamptz and f.created_at <= $2::timestamptz and s.expression ~ '^\\*/\\d+ \\* \\* \\* \\* \\*$'
       window w as (partition by f.schedule_id, f.schedule_version order by f.fire_at)
     ) fire
     where gap is not null and gap <> make_interval(secs => substring(expression from '\\d+')::int)`,
  ),
  statement(
    "I13b",
    "no fire comes before its time",
    `select f.id, f.fire_at, f.created_at from fires f
     where f.created_at >= $1::timestamptz and f.created_at <= $2::timestamptz and f.created_at < f.fire_at - interval '1 millisecond'`,
  ),
  statement(
    "I15",
    "epochs of what leaders wrote never go back, and their times do not overlap",
    `select * from (
       select epoch, min(created_at) as first, max(created_at) as last, lag(max(created_at)) over (order by epoch) as before
       from fires where created_at >= $1::timestamptz and created_at <= $2::timestamptz group by epoch
     ) reign where before > first`,
  ),
  statement(
    "I16",
    "there is one lease, and one only",
    `select count(*) as leases from leases where name = 'scheduler' having count(*) <> 1`,
  ),
  statement(
    "I18",
    "each failure in the history has exactly one error event of the same transaction, and no error event is without one",
    `, told as (
       select e.run_id, e.node_key, e.generation, e.attempt_no, e.xmin::text as tx, count(*) as n, min(e.event) as event
       from run_events e join scope r on r.id = e.run_id
       where e.event not like 'late.%' and e.data ? 'code'
       group by 1, 2, 3, 4, 5
     ), kept as (
       select x.run_id, x.node_key, x.generation, x.attempt_no, x.xmin::text as tx, count(*) as n, min(x.code) as code
       from error_events x join scope r on r.id = x.run_id group by 1, 2, 3, 4, 5
     )
     select coalesce(told.run_id, kept.run_id) as run_id, coalesce(told.node_key, kept.node_key) as node_key,
       coalesce(told.attempt_no, kept.attempt_no) as attempt_no, told.event, told.n as told, kept.code, kept.n as kept
     from told full join kept using (run_id, node_key, generation, attempt_no, tx)
     where told.n is distinct from kept.n`,
  ),
  statement(
    "I19",
    "no node has more attempts that count than its budget",
    `select n.run_id, n.key, n.attempts, d -> 'retry' as retry from node_runs n join scope r on r.id = n.run_id
     join pipeline_versions v on v.id = r.version_id
     cross join lateral jsonb_array_elements(v.definition -> 'spec' -> 'nodes') d
     where d ->> 'key' = n.key and d -> 'retry' ? 'retries' and n.attempts > (d -> 'retry' ->> 'retries')::int + 1`,
  ),
  statement(
    "I22",
    "nothing is left behind: each run has ended or waits for a person",
    `select r.id, r.state, p.name, n.key, n.state as node_state, n.worker_id, n.token, n.due_at, n.timeout_at from scope r
     join pipelines p on p.id = r.pipeline_id join node_runs n on n.run_id = r.id and n.state in ${LIVE}
     where r.state in ('PENDING','RUNNING')`,
  ),
  statement(
    "I24",
    "a run has the nodes of the version that it names, and no others",
    `select r.id, count(*) as nodes, jsonb_array_length(v.definition -> 'spec' -> 'nodes') as planned
     from scope r join node_runs n on n.run_id = r.id join pipeline_versions v on v.id = r.version_id
     group by r.id, v.definition having count(*) <> jsonb_array_length(v.definition -> 'spec' -> 'nodes')`,
  ),
  statement(
    "I31",
    "no slot of a limit is held by a node that does not run",
    `select s.key, s.no, s.run_id, s.node_key, n.state from slots s left join node_runs n on n.run_id = s.run_id and n.key = s.node_key
     where s.run_id is not null and n.state is distinct from 'RUNNING'`,
  ),
];
