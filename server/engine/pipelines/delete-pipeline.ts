import { eq } from "drizzle-orm";
import { z } from "zod";
import { pipelines } from "@/db/schema/pipelines";
import { reasonSchema } from "@/server/domain/access/account";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { cancelWaiting } from "@/server/engine/runs/cancel-waiting";
import { syncSchedules } from "@/server/engine/schedules/sync-schedules";
import { storedNow } from "@/server/engine/stored-clock";
import { lockPipeline } from "./pipeline-row";

export const deletePipelineSchema = z.strictObject({ projectId: z.uuid(), pipelineId: z.uuid(), reason: reasonSchema });

/**
 * From this commit on no run of it starts (B76): whoever makes one holds the row, so one of the two comes first. What waits
 * for its turn is cancelled, what runs goes on, and its history stays readable.
 */
export async function deletePipeline(ctx: Ctx, raw: z.input<typeof deletePipelineSchema>): Promise<void> {
  const { reason, ...place } = parseInput(deletePipelineSchema, raw);
  authorise(ctx, place.projectId, "pipeline.publish");
  await inTransaction(ctx, async (tx) => {
    const row = await lockPipeline(tx, place);
    // Its schedules end as if a version without any had been published, so that the ledger adds up to here.
    await syncSchedules(ctx, tx, { ...place, pipelineOn: row.enabled, versionNo: (row.liveVersionNo ?? 0) + 1, schedules: [] });
    const now = await storedNow(ctx, tx);
    await tx
      .update(pipelines)
      .set({ deletedAt: now, enabled: false, updatedBy: actorOf(ctx.principal).label, updatedAt: now })
      .where(eq(pipelines.id, row.id));
    const canceledRuns = await cancelWaiting(ctx, tx, row.id, reason);
    await writeAudit(tx, ctx, {
      projectId: place.projectId,
      verb: "pipeline.delete",
      object: { kind: "pipeline", id: row.id, label: row.title },
      reason,
      before: { name: row.name, title: row.title, version: row.liveVersionNo, enabled: row.enabled },
      after: { canceledRuns },
    });
  });
  ctx.ports.live.changed(place.projectId);
}
