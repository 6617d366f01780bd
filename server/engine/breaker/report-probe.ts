import { holdWorker } from "@/db/statements/state/hold-worker";
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
    if ((await holdWorker(tx, lease)) === null) return false;
    const before = await lockBreaker(tx, lease.id);
    if (!before) return false;
    const at = await storedNow(ctx, tx);
    const step = moveBreaker(breakerOf(before), { kind: "probed", probeId, ok }, at);
    if (step.changes.length === 0) return false;
    const lastProbe = { at: at.toISOString(), ok, note: note.slice(0, 500) };
    await writeBreaker(tx, ctx, { workerId: lease.id, before, step, at, lastProbe });
    return true;
  });
}
