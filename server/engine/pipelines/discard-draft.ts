import { eq } from "drizzle-orm";
import { z } from "zod";
import { pipelines } from "@/db/schema/pipelines";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { lockPipeline } from "./pipeline-row";
import { refuseStale } from "./save-draft";

export const discardDraftSchema = z.strictObject({ projectId: z.uuid(), pipelineId: z.uuid(), revision: z.int().min(0) });

/** Goes back to what is live; the text of the draft is gone. */
export async function discardDraft(ctx: Ctx, raw: z.input<typeof discardDraftSchema>): Promise<{ revision: number }> {
  const input = parseInput(discardDraftSchema, raw);
  authorise(ctx, input.projectId, "pipeline.edit");
  const revision = await inTransaction(ctx, async (tx) => {
    const row = await lockPipeline(tx, input);
    refuseStale(row, input.revision);
    if (row.liveVersionId === null) {
      throw new DomainError("conflict", `${row.name} has no live version to go back to: publish it once, or delete it`);
    }
    const next = row.draftRevision + 1;
    await tx
      .update(pipelines)
      .set({
        draft: null,
        draftRevision: next,
        draftBaseVersionNo: row.liveVersionNo,
        draftUpdatedBy: actorOf(ctx.principal).label,
        draftUpdatedAt: await storedNow(ctx, tx),
      })
      .where(eq(pipelines.id, row.id));
    await writeAudit(tx, ctx, {
      projectId: input.projectId,
      verb: "pipeline.discardDraft",
      object: { kind: "pipeline", id: row.id, label: row.title },
      before: { revision: row.draftRevision },
      after: { revision: next },
    });
    return next;
  });
  ctx.ports.live.changed(input.projectId);
  return { revision };
}
