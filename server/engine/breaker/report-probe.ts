import { and, eq, gt, sql } from "drizzle-orm";
import { workers } from "@/db/schema/platform";
import { moveBreaker } from "@/server/domain/breaker/breaker";
import type { WorkerLease } from "@/server/domain/run/work";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { breakerOf, lockBreaker, writeBreaker } from "./breaker-row";

export interface ProbeReport {
  readonly probeId: string;
  readonly ok: boolean;
  /** In words: what it did, or why it failed. */
  readonly note: string;
}

/**
 * What a worker's probe came to (EXC-6): three that succeed in a row bring it back. Only the worker whose lease it is may
 * say so, and only of the probe that it was asked for last. Answers whether it was taken.
 */
export async function reportProbe(ctx: Ctx, lease: WorkerLease, { probeId, ok, note }: ProbeReport): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    // Locked before it is compared, so that a registration of the name comes before or after all of this.
    const before = await lockBreaker(tx, lease.id);
    const mine = and(eq(workers.id, lease.id), eq(workers.bootId, lease.bootId), eq(workers.epoch, lease.epoch));
    const isHeld = (await tx.$count(workers, and(mine, gt(workers.expiresAt, sql`clock_timestamp()`)))) === 1;
    if (!before || !isHeld) return false;
    const at = await storedNow(ctx, tx);
    const step = moveBreaker(breakerOf(before), { kind: "probed", probeId, ok }, at);
    if (step.changes.length === 0) return false;
    const lastProbe = { at: at.toISOString(), ok, note: note.slice(0, 500) };
    await writeBreaker(tx, ctx, { workerId: lease.id, before, step, at, lastProbe });
    return true;
  });
}
