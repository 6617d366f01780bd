import { eq } from "drizzle-orm";
import { z } from "zod";
import { pipelines } from "@/db/schema/pipelines";
import { parseInput } from "@/server/domain/input";
import { textSchema } from "@/server/domain/pipeline/definition";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { cancelWaiting } from "@/server/engine/runs/cancel-waiting";
import { switchWithPipeline } from "@/server/engine/schedules/switch-with-pipeline";
import { storedNow } from "@/server/engine/stored-clock";
import { lockPipeline } from "./pipeline-row";

export const setArchivedSchema = z.strictObject({
  projectId: z.uuid(),
  pipelineId: z.uuid(),
  archived: z.boolean(),
  reason: textSchema(2_000).optional(),
});

/**
 * Puts a pipeline out of the way: disabled and out of the list, its history readable. What waits for its turn is cancelled;
 * what runs goes on. One that comes back stays disabled.
 */
export async function setPipelineArchived(ctx: Ctx, raw: z.input<typeof setArchivedSchema>): Promise<{ archived: boolean }> {
  const { archived, reason, ...place } = parseInput(setArchivedSchema, raw);
  authorise(ctx, place.projectId, "pipeline.publish");
  await inTransaction(ctx, async (tx) => {
    const row = await lockPipeline(tx, place);
    if ((row.archivedAt !== null) === archived) return;
    const now = await storedNow(ctx, tx);
    await tx
      .update(pipelines)
      .set({ archivedAt: archived ? now : null, enabled: false, updatedBy: actorOf(ctx.principal).label, updatedAt: now })
      .where(eq(pipelines.id, row.id));
    if (row.enabled) await switchWithPipeline(tx, row.id, false, now);
    const canceledRuns = archived ? await cancelWaiting(ctx, tx, row.id, reason ?? "the pipeline was archived") : 0;
    await writeAudit(tx, ctx, {
      projectId: place.projectId,
      verb: archived ? "pipeline.archive" : "pipeline.unarchive",
      object: { kind: "pipeline", id: row.id, label: row.title },
      reason: reason ?? null,
      before: { archived: !archived, enabled: row.enabled },
      after: { archived, enabled: false, ...(archived ? { canceledRuns } : {}) },
    });
  });
  ctx.ports.live.changed(place.projectId);
  return { archived };
}
