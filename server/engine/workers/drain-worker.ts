import { eq } from "drizzle-orm";
import { z } from "zod";
import { workers } from "@/db/schema/platform";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorisePlatform } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";

export const drainWorkerSchema = z.strictObject({
  workerId: z.string().min(1).max(200),
  draining: z.boolean(),
  reason: z.string().trim().min(1).max(500),
});
export type DrainWorkerInput = z.input<typeof drainWorkerSchema>;

/** Tells a worker to take no new node, or to take them again; what it runs goes on (WRK-4). It hears with its next renewal. */
export async function drainWorker(ctx: Ctx, input: DrainWorkerInput): Promise<void> {
  const { workerId, draining, reason } = parseInput(drainWorkerSchema, input);
  authorisePlatform(ctx);
  await inTransaction(ctx, async (tx) => {
    const [before] = await tx.select({ draining: workers.draining }).from(workers).where(eq(workers.id, workerId)).for("no key update");
    if (!before) throw new DomainError("not_found", `there is no worker "${workerId}"; the list of workers shows what there is`);
    await tx.update(workers).set({ draining }).where(eq(workers.id, workerId));
    await writeAudit(tx, ctx, {
      projectId: null,
      verb: draining ? "worker.drain" : "worker.undrain",
      object: { kind: "worker", id: workerId, label: workerId },
      reason,
      before,
      after: { draining },
    });
  });
}
