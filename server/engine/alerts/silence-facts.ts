import { sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { readQuietNodes } from "@/db/statements/nodes/quiet-nodes";
import { policySchema } from "@/server/domain/alert/policy";
import {
  type DeferredFact,
  FIRE_GRACE_MS,
  type GroupFact,
  type LeaderFact,
  type LongNodeFact,
  NO_WORKER_MS,
  type ScheduleFact,
} from "@/server/domain/alert/silence-alarm";
import { STALLED_AFTER_MS } from "@/server/domain/alert/task-class";
import { quietSince, stallOf } from "@/server/domain/run/stall";

/** Of what is silent, whose it is and what it is called. */
export interface Silent<Fact> {
  readonly projectId: string;
  readonly task: string;
  readonly label: string;
  readonly owner: string | null;
  readonly pipelineId: string | null;
  readonly runId: string | null;
  readonly nodeKey: string | null;
  readonly fact: Fact;
}

const MOST = 200;
const ms = (value: number | null): Date | null => (value === null ? null : new Date(value));

export async function leaderFact(db: Executor, name: string): Promise<LeaderFact> {
  const [row] = await db.execute<{ holder: string; epoch: number }>(sql`select holder, epoch from leases where name = ${name}`);
  return row ?? { holder: "nobody", epoch: 0 };
}

interface ScheduleRow extends Record<string, unknown> {
  project_id: string;
  id: string;
  name: string;
  timezone: string;
  pipeline_id: string;
  pipeline: string;
  owner: string;
  broken: string | null;
  next_ms: number | null;
  fire_ms: number | null;
  verdict: string | null;
  reason: string | null;
}

/** Schedules that cannot be read, are overdue, or whose last fire was missed. Index: schedules_next; fires_once for each. */
export async function silentSchedules(db: Executor): Promise<Silent<ScheduleFact>[]> {
  const rows = await db.execute<ScheduleRow>(sql`
    select s.project_id, s.id, s.name, s.timezone, p.id as pipeline_id, p.name as pipeline, p.owner,
      case when s.health <> 'OK' then coalesce(s.health_reason, s.health) end as broken,
      (extract(epoch from s.next_fire_at) * 1000)::float8 as next_ms, (extract(epoch from f.fire_at) * 1000)::float8 as fire_ms, f.verdict, f.reason
    from schedules s join pipelines p on p.id = s.pipeline_id
    left join lateral (select fire_at, verdict, reason from fires where schedule_id = s.id order by fire_at desc limit 1) f on true
    where s.enabled and s.removed_at is null and p.enabled and p.deleted_at is null and p.archived_at is null
      and (s.health <> 'OK' or s.next_fire_at < clock_timestamp() - make_interval(secs => ${FIRE_GRACE_MS / 1_000}) or f.verdict = 'missed')
    limit ${MOST}
  `);
  return rows.map((row) => ({
    ...{ projectId: row.project_id, task: `schedule/${row.id}`, label: `${row.pipeline} / ${row.name}`, owner: row.owner },
    ...{ pipelineId: row.pipeline_id, runId: null, nodeKey: null },
    fact: {
      ...{ name: row.name, timezone: row.timezone, brokenBecause: row.broken, nextFireAt: ms(row.next_ms) },
      lastFire:
        row.fire_ms === null || row.verdict === null ? null : { at: new Date(row.fire_ms), verdict: row.verdict, reason: row.reason },
    },
  }));
}

interface GroupRow extends Record<string, unknown> {
  project_id: string;
  worker_group: string;
  queued: number;
  oldest_ms: number;
  live: number;
  refusing: string[] | null;
  slots: number | null;
  running: number;
  filled: { pipeline: string; nodes: number }[];
}

/**
 * Groups for which nodes wait, by project. Index: node_runs_ready. The depth is remembered by whoever looks; see `depths`.
 */
export async function waitingGroups(db: Executor): Promise<Silent<Omit<GroupFact, "depths">>[]> {
  const rows = await db.execute<GroupRow>(sql`
    with waiting as (
      select r.project_id, n.worker_group, p.name as pipeline, count(*)::integer as nodes, min(coalesce(n.queued_at, n.ready_at)) as oldest
      from node_runs n join runs r on r.id = n.run_id join pipelines p on p.id = r.pipeline_id
      where n.state = 'QUEUED' and not n.held and n.pool_key < 'valve:' group by r.project_id, n.worker_group, p.name
    ), grouped as (
      select project_id, worker_group, sum(nodes)::integer as queued, (extract(epoch from min(oldest)) * 1000)::float8 as oldest_ms,
        (jsonb_path_query_array(jsonb_agg(jsonb_build_object('pipeline', pipeline, 'nodes', nodes) order by nodes desc), '$[0 to 4]')) as filled
      from waiting group by project_id, worker_group
      having min(oldest) < clock_timestamp() - make_interval(secs => ${NO_WORKER_MS / 1_000})
    )
    select g.*, w.live, w.refusing, l.slots,
      (select count(*)::integer from node_runs b where b.state = 'RUNNING' and b.worker_group = g.worker_group) as running
    from grouped g left join group_limits l on l.name = g.worker_group
    cross join lateral (
      select count(*)::integer as live, array_agg(id || ': ' || case when draining then 'drain' else coalesce(refusing, 'breaker') end) filter (where draining or tripped or refusing is not null) as refusing
      from workers where expires_at > clock_timestamp() and groups @> array[g.worker_group]
    ) w
    limit ${MOST}
  `);
  return rows.map((row) => ({
    ...{
      projectId: row.project_id,
      task: `group/${row.worker_group}`,
      label: row.worker_group,
      owner: null,
      pipelineId: null,
      runId: null,
      nodeKey: null,
    },
    fact: {
      ...{ group: row.worker_group, queued: row.queued, oldestAt: new Date(row.oldest_ms), live: row.live, refusing: row.refusing ?? [] },
      ...{ limit: row.slots, running: row.running, filledBy: row.filled },
    },
  }));
}

/** Tasks that the engine defers. Few valves are ever open. */
export async function deferredTasks(db: Executor): Promise<Silent<DeferredFact>[]> {
  const rows = await db.execute<{ project_id: string; target: string; reason: string; since_ms: number; held: number }>(sql`
    select v.project_id, v.target, v.reason, (extract(epoch from v.closed_at) * 1000)::float8 as since_ms,
      (select count(*)::integer from valve_holds h where h.valve_no = v.no) as held
    from valves v where v.ended_at is null and v.deferring limit ${MOST}
  `);
  return rows.map(({ project_id, target, reason, since_ms, held }) => ({
    ...{ projectId: project_id, task: `deferred/${target}`, label: target, owner: null },
    ...{ pipelineId: null, runId: null, nodeKey: null },
    fact: { task: target, reason, since: new Date(since_ms), held },
  }));
}

interface LongRow extends Record<string, unknown> {
  project_id: string;
  pipeline_id: string;
  pipeline: string;
  owner: string;
  run_id: string;
  key: string;
  started_ms: number;
  line_ms: number | null;
  worker_id: string | null;
}

/** Pipelines that are given hours without a sign of progress by their class (ALT-3). */
async function longRunning(db: Executor): Promise<readonly string[]> {
  const policies = await db.execute<{ policy: unknown }>(
    sql`select distinct on (project_id) policy from alert_policies order by project_id, revision desc`,
  );
  return policies.flatMap(({ policy }) =>
    Object.entries(policySchema.safeParse(policy).data?.classes ?? {}).flatMap(([id, taskClass]) =>
      taskClass === "long_running" ? [id] : [],
    ),
  );
}

/** Running nodes of other pipelines that give no sign, where their node asks for an alert (EXC-8). */
export async function stalledNodes(db: Executor): Promise<Silent<LongNodeFact>[]> {
  const quiet = await readQuietNodes(db, MOST);
  if (quiet.length === 0) return [];
  const long = new Set(await longRunning(db));
  return quiet.flatMap((node) => {
    const { action, afterMs } = stallOf(node.stall);
    if (action !== "alert" || long.has(node.pipelineId)) return [];
    const label = `${node.pipeline} / ${node.key}`;
    const signs = { startedAt: node.startedAt, lastLineAt: quietSince(node) > node.startedAt ? node.lastLineAt : null };
    return [
      {
        ...{ projectId: node.projectId, task: `running/${node.runId}/${node.key}`, label, owner: node.owner },
        ...{ pipelineId: node.pipelineId, runId: node.runId, nodeKey: node.key },
        fact: { label, ...signs, workerId: node.workerId, afterMs },
      },
    ];
  });
}

/** Running nodes of long-running pipelines that started long ago. Index: runs_live, then the key of node_runs. */
export async function longNodes(db: Executor): Promise<Silent<LongNodeFact>[]> {
  const long = await longRunning(db);
  if (long.length === 0) return [];
  const rows = await db.execute<LongRow>(sql`
    select r.project_id, p.id as pipeline_id, p.name as pipeline, p.owner, n.run_id, n.key, n.worker_id,
      (extract(epoch from n.started_at) * 1000)::float8 as started_ms,
      (select (extract(epoch from max(c.at)) * 1000)::float8 from log_chunks c where c.run_id = n.run_id and c.node_key = n.key) as line_ms
    from runs r join pipelines p on p.id = r.pipeline_id join node_runs n on n.run_id = r.id and n.state = 'RUNNING'
    where r.pipeline_id in (select jsonb_array_elements_text(${JSON.stringify(long)}::jsonb)::uuid) and r.state in ('PENDING','RUNNING','PAUSED')
      and n.started_at < clock_timestamp() - make_interval(secs => ${STALLED_AFTER_MS / 1_000})
    limit ${MOST}
  `);
  return rows.map((row) => ({
    ...{ projectId: row.project_id, task: `running/${row.run_id}/${row.key}`, label: `${row.pipeline} / ${row.key}`, owner: row.owner },
    ...{ pipelineId: row.pipeline_id, runId: row.run_id, nodeKey: row.key },
    fact: {
      label: `${row.pipeline} / ${row.key}`,
      startedAt: new Date(row.started_ms),
      lastLineAt: ms(row.line_ms),
      workerId: row.worker_id,
    },
  }));
}
