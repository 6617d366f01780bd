import { eq } from "drizzle-orm";
import { z } from "zod";
import { pipelines } from "@/db/schema/pipelines";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { textSchema } from "@/server/domain/pipeline/definition";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { activateNext } from "@/server/engine/runs/give-turns";
import { switchWithPipeline } from "@/server/engine/schedules/switch-with-pipeline";
import { storedNow } from "@/server/engine/stored-clock";
import { lockPipeline } from "./pipeline-row";

export const setEnabledSchema = z.strictObject({
  projectId: z.uuid(),
  pipelineId: z.uuid(),
  enabled: z.boolean(),
  reason: textSchema(2_000).optional(),
});

/**
 * A disabled pipeline starts no run: what waits for its turn waits on, what runs goes on. Asking for what is so already
 * changes nothing.
 */
export async function setPipelineEnabled(ctx: Ctx, raw: z.input<typeof setEnabledSchema>): Promise<{ enabled: boolean }> {
  const { enabled, reason, ...place } = parseInput(setEnabledSchema, raw);
  authorise(ctx, place.projectId, "schedule.toggle");
  await inTransaction(ctx, async (tx) => {
    const row = await lockPipeline(tx, place);
    if (row.enabled === enabled) return;
    if (enabled && row.archivedAt) throw new DomainError("conflict", `${row.name} is archived: bring it back first`);
    const now = await storedNow(ctx, tx);
    await tx
      .update(pipelines)
      .set({ enabled, updatedBy: actorOf(ctx.principal).label, updatedAt: now })
      .where(eq(pipelines.id, row.id));
    await switchWithPipeline(tx, row.id, enabled, now);
    await writeAudit(tx, ctx, {
      projectId: place.projectId,
      verb: enabled ? "pipeline.enable" : "pipeline.disable",
      object: { kind: "pipeline", id: row.id, label: row.title },
      reason: reason ?? null,
      before: { enabled: row.enabled },
      after: { enabled },
    });
  });
  ctx.ports.live.changed(place.projectId);
  if (enabled) await activateNext(ctx, [place.pipelineId]);
  return { enabled };
}
