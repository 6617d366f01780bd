import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/engine/context";
import { SCHEDULER_LEASE } from "@/server/engine/leadership/lease-timing";

export interface LeaderHealth {
  readonly holder: string;
  readonly epoch: number;
  readonly expiresAt: Date;
  /** How late the wheel handed out what was due, at the last report; null before the first. */
  readonly wheelLagMs: number | null;
}

export interface WorkerHealth {
  readonly id: string;
  readonly groups: readonly string[];
  readonly slots: number;
  readonly alive: boolean;
  /** Why it takes no new node; null when it does. */
  readonly refusing: string | null;
}

export interface GroupQueue {
  readonly group: string;
  readonly queued: number;
  readonly oldestMs: number;
}

/** Whether the platform itself is well, by what it should have done by now. */
export interface PlatformHealth {
  readonly database: "ok" | "down";
  readonly leader: LeaderHealth | null;
  readonly workers: readonly WorkerHealth[];
  readonly queue: readonly GroupQueue[];
  /** Age of what has been due the longest and was not done: a fire, a retry, a wait, a time-out. */
  readonly oldestOverdueMs: number;
}

const DOWN: PlatformHealth = { database: "down", leader: null, workers: [], queue: [], oldestOverdueMs: 0 };

/** Open to anyone: it names no project and no pipeline. All ages are on the database's clock. */
export async function platformHealth(ctx: Pick<Ctx, "db" | "log">): Promise<PlatformHealth> {
  try {
    const [leader, workers, queue, oldestOverdueMs] = await Promise.all([
      findLeader(ctx),
      listWorkers(ctx),
      measureQueue(ctx),
      measureOverdue(ctx),
    ]);
    return { database: "ok", leader, workers, queue, oldestOverdueMs };
  } catch (error) {
    ctx.log.warn({ err: error }, "the health of the platform cannot be read");
    return DOWN;
  }
}

async function findLeader({ db }: Pick<Ctx, "db">): Promise<LeaderHealth | null> {
  const [row] = await db.execute<{ holder: string; epoch: number; expires_ms: number; wheel_lag_ms: number | null }>(sql`
    select holder, epoch, (extract(epoch from expires_at) * 1000)::float8 as expires_ms, (report->>'wheelLagMs')::float8 as wheel_lag_ms
    from leases where name = ${SCHEDULER_LEASE} and expires_at > clock_timestamp()
  `);
  return row ? { holder: row.holder, epoch: row.epoch, expiresAt: new Date(row.expires_ms), wheelLagMs: row.wheel_lag_ms } : null;
}

/** Those that are there, and those that have gone within the hour. */
async function listWorkers({ db }: Pick<Ctx, "db">): Promise<WorkerHealth[]> {
  const rows = await db.execute<{ id: string; groups: string[]; slots: number; alive: boolean; refusing: string | null }>(sql`
    select id, groups, slots, expires_at > clock_timestamp() as alive, case when draining then 'drain' else refusing end as refusing
    from workers where seen_at > clock_timestamp() - interval '1 hour' order by id
  `);
  return rows.map(({ id, groups, slots, alive, refusing }) => ({ id, groups, slots, alive, refusing }));
}

async function measureQueue({ db }: Pick<Ctx, "db">): Promise<GroupQueue[]> {
  const rows = await db.execute<{ worker_group: string; queued: number; oldest_ms: number }>(sql`
    select worker_group, count(*)::integer as queued,
      greatest(0, extract(epoch from clock_timestamp() - min(coalesce(queued_at, ready_at))) * 1000)::float8 as oldest_ms
    from node_runs where state = 'QUEUED' and not held group by worker_group order by worker_group
  `);
  return rows.map((row) => ({ group: row.worker_group, queued: row.queued, oldestMs: Math.round(row.oldest_ms) }));
}

async function measureOverdue({ db }: Pick<Ctx, "db">): Promise<number> {
  const [row] = await db.execute<{ overdue_ms: number | null }>(sql`
    select extract(epoch from clock_timestamp() - min(due)) * 1000 as overdue_ms from (
      select min(s.next_fire_at) as due from schedules s join pipelines p on p.id = s.pipeline_id
      where s.enabled and s.removed_at is null and s.health = 'OK' and s.next_fire_at < clock_timestamp()
        and p.enabled and p.deleted_at is null and p.archived_at is null
      union all select min(due_at) from node_runs where state in ('RETRYING','RUNNING') and due_at < clock_timestamp()
      union all select min(timeout_at) from node_runs where state = 'RUNNING' and timeout_at < clock_timestamp()
      union all select min(deadline_at) from node_runs where state in ('RUNNING','RETRYING') and deadline_at < clock_timestamp()
    ) as overdue
  `);
  return Math.max(0, Math.round(Number(row?.overdue_ms ?? 0)));
}
