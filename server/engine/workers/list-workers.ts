import { asc, gt, sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { tasks, workers } from "@/db/schema/platform";
import { groupLimits } from "@/db/schema/pools";
import { type ReadyOfGroup, readyByGroup } from "@/db/statements/nodes/ready-by-group";
import { slotUse } from "@/db/statements/pools/set-slots";
import { groupKey } from "@/server/domain/pool/limit-key";
import { refuseAnonymous } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export interface WorkerView {
  readonly id: string;
  readonly isLive: boolean;
  readonly groups: readonly string[];
  readonly slots: number;
  readonly active: number;
  readonly hostname: string;
  readonly pid: number;
  readonly site: string | null;
  readonly draining: boolean;
  readonly refusing: string | null;
  readonly fingerprint: Readonly<Record<string, unknown>>;
  readonly heartbeat: Readonly<Record<string, unknown>>;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly expiresAt: Date;
}

export interface GroupView {
  readonly name: string;
  readonly liveWorkers: number;
  readonly slots: number;
  /** How many of its nodes may run at a time, on all its workers together; null where nobody has set it. */
  readonly limit: number | null;
  /** How many run of those that count under the limit; more than it for a while after it was lowered. */
  readonly running: number;
  /** Rows that wait for a worker, from our own tables and not from the queue. */
  readonly queued: number;
  readonly oldestReadyAt: Date | null;
}

/** Every known worker, the live ones first, and the groups with their backlog: a group without a worker shows too. */
export async function listWorkers(ctx: Ctx): Promise<{ workers: readonly WorkerView[]; groups: readonly GroupView[] }> {
  refuseAnonymous(ctx);
  const isLive = sql<boolean>`${workers.expiresAt} > clock_timestamp()`;
  const active = sql<number>`(select count(*)::int from node_runs n where n.state = 'RUNNING' and n.worker_id = ${workers.id} and n.worker_boot = ${workers.bootId})`;
  const rows = await ctx.db.select({ worker: workers, isLive, active }).from(workers).orderBy(sql`${isLive} desc`, asc(workers.id));
  const views = rows.map(({ worker, ...rest }): WorkerView => {
    const { bootId: _, epoch: __, ...shown } = worker;
    return { ...shown, ...rest };
  });
  const limits = await ctx.db.select({ name: groupLimits.name, slots: groupLimits.slots }).from(groupLimits);
  const use = await slotUse(
    ctx.db,
    limits.map(({ name }) => groupKey(name)),
  );
  const limited = new Map(limits.map(({ name, slots }) => [name, { limit: slots, running: use.get(groupKey(name))?.taken ?? 0 }]));
  return { workers: views, groups: groupsOf(views, await readyByGroup(ctx.db), limited) };
}

type Limits = ReadonlyMap<string, Pick<GroupView, "limit" | "running">>;

function groupsOf(views: readonly WorkerView[], waiting: readonly ReadyOfGroup[], limits: Limits): readonly GroupView[] {
  const names = new Set([...views.flatMap((worker) => worker.groups), ...waiting.map((each) => each.group), ...limits.keys()]);
  return [...names].sort().map((name) => {
    const live = views.filter((worker) => worker.isLive && worker.groups.includes(name));
    const rows = waiting.find((each) => each.group === name);
    return {
      name,
      liveWorkers: live.length,
      slots: live.reduce((sum, worker) => sum + worker.slots, 0),
      ...(limits.get(name) ?? { limit: null, running: 0 }),
      queued: rows?.queued ?? 0,
      oldestReadyAt: rows?.oldestReadyAt ?? null,
    };
  });
}

/** Workers that can take a node now; what the health endpoint tells. */
export async function countLiveWorkers(db: Executor): Promise<number> {
  return db.$count(workers, gt(workers.expiresAt, sql`clock_timestamp()`));
}

export interface TaskView {
  readonly group: string;
  readonly name: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
}

/** The tasks that workers registered, for the editor's form. */
export async function listTasks(ctx: Ctx): Promise<readonly TaskView[]> {
  refuseAnonymous(ctx);
  const rows = await ctx.db.select().from(tasks).orderBy(asc(tasks.workerGroup), asc(tasks.name));
  return rows.map(({ workerGroup, seenAt: _, ...task }) => ({ group: workerGroup, ...task }));
}
