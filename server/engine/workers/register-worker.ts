import { eq, sql } from "drizzle-orm";
import { tasks, workers } from "@/db/schema/platform";
import { DomainError } from "@/server/domain/failure";
import type { WorkerLease } from "@/server/domain/run/work";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { WORKER_LEASE_MS } from "./lease-term";

export interface RegisteredTask {
  readonly name: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
}

export interface WorkerRegistration {
  readonly id: string;
  readonly bootId: string;
  /** Under which this very process has registered, or tried to, before its lease ran out; empty at a process's start. */
  readonly previousBootIds: readonly string[];
  readonly groups: readonly string[];
  readonly slots: number;
  readonly hostname: string;
  readonly pid: number;
  readonly site: string | null;
  readonly fingerprint: Readonly<Record<string, unknown>>;
  readonly tasks: readonly RegisteredTask[];
}

/** Who holds the name now. */
export interface NameHolder {
  readonly hostname: string;
  readonly pid: number;
}

/**
 * Announces a worker and gives it a lease with a higher epoch. Whoever held the name before is fenced off from this
 * commit on. A live lease is replaced only where `isGone` says that its process is, so that a worker that was killed comes
 * back at once and two workers of one name do not fence each other off in turns. An administrator's drain lasts as long as
 * the process that it was told to, and ends with its next start.
 */
export async function registerWorker(
  ctx: Ctx,
  worker: WorkerRegistration,
  isGone: (holder: NameHolder) => boolean = () => false,
): Promise<WorkerLease> {
  const until = sql`clock_timestamp() + ${WORKER_LEASE_MS} * interval '1 millisecond'`;
  const now = sql`clock_timestamp()`;
  const row = {
    bootId: worker.bootId,
    groups: [...worker.groups],
    slots: worker.slots,
    hostname: worker.hostname,
    pid: worker.pid,
    site: worker.site,
    fingerprint: { ...worker.fingerprint },
    expiresAt: until,
    refusing: null,
    heartbeat: {},
  };
  return inTransaction(ctx, async (tx) => {
    const [holder] = await tx
      .select({
        hostname: workers.hostname,
        pid: workers.pid,
        bootId: workers.bootId,
        draining: workers.draining,
        seenAt: workers.seenAt,
        isLive: sql<boolean>`${workers.expiresAt} > clock_timestamp()`,
      })
      .from(workers)
      .where(eq(workers.id, worker.id))
      .for("no key update");
    const isSameProcess = holder !== undefined && worker.previousBootIds.includes(holder.bootId);
    if (holder?.isLive && holder.bootId !== worker.bootId && !isSameProcess && !isGone(holder)) throw nameInUse(worker.id, holder);
    const told = { ...row, draining: isSameProcess && holder.draining };
    const [lease] = await tx
      .insert(workers)
      .values({ id: worker.id, ...told })
      .onConflictDoUpdate({ target: workers.id, set: { ...told, epoch: sql`${workers.epoch} + 1`, startedAt: now, seenAt: now } })
      .returning({ id: workers.id, bootId: workers.bootId, epoch: workers.epoch });
    if (!lease) throw new Error("an upsert that returns no row");
    const offered = worker.groups
      .flatMap((workerGroup) => worker.tasks.map((task) => ({ workerGroup, ...task })))
      .sort((a, b) => (a.workerGroup + a.name < b.workerGroup + b.name ? -1 : 1));
    if (offered.length > 0) {
      await tx
        .insert(tasks)
        .values(offered)
        .onConflictDoUpdate({
          target: [tasks.workerGroup, tasks.name],
          set: { inputSchema: sql`excluded.input_schema`, outputSchema: sql`excluded.output_schema`, seenAt: now },
        });
    }
    return lease;
  });
}

const nameInUse = (id: string, holder: NameHolder & { readonly seenAt: Date }) =>
  new DomainError(
    "conflict",
    `A worker named ${id} is alive already, on ${holder.hostname} (process ${holder.pid}). Give this one another name with APOLLO_WORKER_ID.`,
    { details: { id, ...holder } },
  );
