import { and, eq, sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { workers } from "@/db/schema/platform";
import type { WorkerLease } from "@/server/domain/run/work";

/** Ends a lease at once, at shutdown: what the worker may have left behind is found without waiting for it to lapse. */
export async function releaseWorker(ctx: { readonly db: Executor }, lease: WorkerLease): Promise<void> {
  // Stored to the millisecond and rounded: "now" may lie half a millisecond ahead, and the lease would still hold.
  await ctx.db
    .update(workers)
    .set({ expiresAt: sql`clock_timestamp() - interval '2 milliseconds'`, refusing: "drain" })
    .where(and(eq(workers.id, lease.id), eq(workers.bootId, lease.bootId), eq(workers.epoch, lease.epoch)));
}
