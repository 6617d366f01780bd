import { sql } from "drizzle-orm";
import { tasks, workers } from "@/db/schema/platform";
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
  readonly groups: readonly string[];
  readonly slots: number;
  readonly hostname: string;
  readonly pid: number;
  readonly site: string | null;
  readonly fingerprint: Readonly<Record<string, unknown>>;
  readonly tasks: readonly RegisteredTask[];
}

/**
 * Announces a worker and gives it a lease with a higher epoch. Whoever held the name before is fenced off from this
 * commit on, so that a worker that was killed can be replaced at once.
 */
export async function registerWorker(ctx: Ctx, worker: WorkerRegistration): Promise<WorkerLease> {
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
    draining: false,
    refusing: null,
    heartbeat: {},
  };
  return inTransaction(ctx, async (tx) => {
    const [lease] = await tx
      .insert(workers)
      .values({ id: worker.id, ...row })
      .onConflictDoUpdate({ target: workers.id, set: { ...row, epoch: sql`${workers.epoch} + 1`, startedAt: now, seenAt: now } })
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
