import { z } from "zod";
import { BREAKER_STATES, type BreakerEvent, closedBreaker, moveBreaker } from "@/server/domain/breaker/breaker";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { textSchema } from "@/server/domain/pipeline/definition";
import { authorisePlatform } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { breakerOf, lockBreaker, writeBreaker } from "./breaker-row";

export const breakerByHandSchema = z.strictObject({
  workerId: z.string().min(1).max(200),
  /** The state that was looked at; another one by now is told instead of changed. Left out, it is not compared. */
  seen: z.enum(BREAKER_STATES).optional(),
  reason: textSchema(500).trim().min(1),
});
export type BreakerByHandInput = z.input<typeof breakerByHandSchema>;

type ByHand = Extract<BreakerEvent["kind"], "holdRequested" | "releaseRequested" | "closeRequested">;

const VERBS: Record<ByHand, string> = {
  holdRequested: "worker.hold",
  releaseRequested: "worker.release",
  closeRequested: "worker.closeBreaker",
};

/** A person's word on a worker: one transaction with its event and its audit row. The worker hears it with its next renewal. */
export async function changeByHand(ctx: Ctx, kind: ByHand, input: BreakerByHandInput): Promise<void> {
  const { workerId, seen, reason } = parseInput(breakerByHandSchema, input);
  authorisePlatform(ctx);
  await inTransaction(ctx, async (tx) => {
    const before = await lockBreaker(tx, workerId);
    const at = await storedNow(ctx, tx);
    const breaker = before ? breakerOf(before) : closedBreaker(at);
    if (seen !== undefined && seen !== breaker.state) throw changedMeanwhile(workerId, breaker.state);
    const step = moveBreaker(breaker, { kind }, at);
    const by = actorOf(ctx.principal);
    const why = { cause: "person", by: { ...by }, reason } as const;
    await writeBreaker(tx, ctx, { workerId, before, step, at, ...(kind === "holdRequested" ? { why } : {}) });
    await writeAudit(tx, ctx, {
      projectId: null,
      verb: VERBS[kind],
      object: { kind: "worker", id: workerId, label: workerId },
      reason,
      before: { breaker: breaker.state },
      after: { breaker: step.next.state },
    });
  });
}

const changedMeanwhile = (workerId: string, state: string) =>
  new DomainError("stale", `the breaker of worker "${workerId}" was changed meanwhile: it is ${state} now. Look at it again.`, {
    details: { workerId, state },
  });
