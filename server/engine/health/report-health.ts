import { sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import type { Ctx } from "@/server/engine/context";
import { inTime, LATE } from "@/server/engine/in-time";
import { SCHEDULER_LEASE } from "@/server/engine/leadership/lease-timing";

export interface LeaderHealth {
  readonly holder: string;
  readonly epoch: number;
  readonly expiresAt: Date;
  /** How late the wheel handed out what was due, at the last report; null before the first. */
  readonly wheelLagMs: number | null;
  /** Duties whose last run failed, with why: a leader that cannot do them all gives the lease up. */
  readonly failing: readonly FailingDuty[];
}

export interface FailingDuty {
  readonly name: string;
  readonly why: string;
}

export interface WorkerHealth {
  readonly id: string;
  readonly groups: readonly string[];
  readonly slots: number;
  readonly alive: boolean;
  /** Why it takes no new node; null when it does. */
  readonly refusing: string | null;
  /** What keeps it from its work though it lives, such as a missing permission; null when nothing does. */
  readonly trouble: string | null;
}

export interface GroupQueue {
  readonly group: string;
  readonly queued: number;
  readonly oldestMs: number;
}

/** What is read by itself, and may be late or fail by itself. */
export const READINGS = ["leader", "workers", "queue", "overdue"] as const;
export type Reading = (typeof READINGS)[number];

/** Whether the platform itself is well, by what it should have done by now. */
export interface PlatformHealth {
  readonly database: "ok" | "down";
  readonly leader: LeaderHealth | null;
  readonly workers: readonly WorkerHealth[];
  readonly queue: readonly GroupQueue[];
  /** Age of the ready node that waits the longest for a worker, in any group. */
  readonly oldestReadyMs: number;
  /** Age of what has been due the longest and was not done: a fire, a retry, a wait, a time-out. */
  readonly oldestOverdueMs: number;
  /** What could not be read in time, or not at all, as where a table is locked or a permission is missing. */
  readonly unread: readonly Reading[];
}

const DOWN: PlatformHealth = {
  database: "down",
  leader: null,
  workers: [],
  queue: [],
  oldestReadyMs: 0,
  oldestOverdueMs: 0,
  unread: [...READINGS],
};

/** So long a reading may take: who asks for the health is not kept waiting by what ails it. */
const READ_WITHIN_MS = 2_000;

/** Open to anyone: it names no project and no pipeline. All ages are on the database's clock. */
export async function platformHealth(ctx: Pick<Ctx, "db" | "log">, withinMs = READ_WITHIN_MS): Promise<PlatformHealth> {
  const unread: Reading[] = [];
  const read = async <T>(what: Reading, reading: (db: Executor) => Promise<T>, otherwise: T): Promise<T> => {
    try {
      const answer = await inTime(endedAfter(ctx.db, withinMs, reading), withinMs);
      if (answer !== LATE) return answer;
      ctx.log.warn({ what, withinMs }, "a reading of the platform's health is late");
    } catch (error) {
      ctx.log.warn({ err: error, what }, "the health of the platform cannot be read");
    }
    unread.push(what);
    return otherwise;
  };
  const [leader, workers, queue, oldestOverdueMs] = await Promise.all([
    read("leader", findLeader, null),
    read("workers", listWorkers, []),
    read("queue", measureQueue, []),
    read("overdue", measureOverdue, 0),
  ]);
  if (unread.length === READINGS.length) return DOWN;
  const oldestReadyMs = Math.max(0, ...queue.map(({ oldestMs }) => oldestMs));
  return {
    database: "ok",
    leader,
    workers,
    queue,
    oldestReadyMs,
    oldestOverdueMs,
    unread: READINGS.filter((each) => unread.includes(each)),
  };
}

/** The database itself ends a reading that is late: else each look would leave one behind, until no connection is free. */
const endedAfter = <T>(db: Ctx["db"], limitMs: number, reading: (db: Executor) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await tx.execute(sql.raw(`set local statement_timeout = ${Math.ceil(limitMs)}`));
    return reading(tx);
  });

async function findLeader(db: Executor): Promise<LeaderHealth | null> {
  const [row] = await db.execute<{ holder: string; epoch: number; expires_ms: number; wheel_lag_ms: number | null; failing: unknown }>(sql`
    select holder, epoch, (extract(epoch from expires_at) * 1000)::float8 as expires_ms, (report->>'wheelLagMs')::float8 as wheel_lag_ms,
      report->'failing' as failing
    from leases where name = ${SCHEDULER_LEASE} and expires_at > clock_timestamp()
  `);
  if (!row) return null;
  const { holder, epoch, expires_ms, wheel_lag_ms, failing } = row;
  return { holder, epoch, expiresAt: new Date(expires_ms), wheelLagMs: wheel_lag_ms, failing: Array.isArray(failing) ? failing : [] };
}

/** Those that are there, and those that have gone within the hour. */
async function listWorkers(db: Executor): Promise<WorkerHealth[]> {
  const rows = await db.execute<WorkerHealth & Record<string, unknown>>(sql`
    select id, groups, slots, expires_at > clock_timestamp() as alive, case when draining then 'drain' when tripped then coalesce(refusing, 'breaker') else refusing end as refusing,
      heartbeat->>'trouble' as trouble
    from workers where seen_at > clock_timestamp() - interval '1 hour' order by id
  `);
  return rows.map(({ id, groups, slots, alive, refusing, trouble }) => ({ id, groups, slots, alive, refusing, trouble }));
}

/** What a stop valve holds waits for no worker. */
async function measureQueue(db: Executor): Promise<GroupQueue[]> {
  const rows = await db.execute<{ worker_group: string; queued: number; oldest_ms: number }>(sql`
    select worker_group, count(*)::integer as queued,
      greatest(0, extract(epoch from clock_timestamp() - min(coalesce(queued_at, ready_at))) * 1000)::float8 as oldest_ms
    from node_runs where state = 'QUEUED' and not held and pool_key < 'valve:' group by worker_group order by worker_group
  `);
  return rows.map((row) => ({ group: row.worker_group, queued: row.queued, oldestMs: Math.round(row.oldest_ms) }));
}

async function measureOverdue(db: Executor): Promise<number> {
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
