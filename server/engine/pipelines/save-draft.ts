import { eq } from "drizzle-orm";
import { z } from "zod";
import { pipelines } from "@/db/schema/pipelines";
import { DomainError } from "@/server/domain/failure";
import { invalidInput, parseInput } from "@/server/domain/input";
import { layoutSchema, parseDraft } from "@/server/domain/pipeline/draft";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { lockPipeline, type PipelineRow, refuseGitManaged } from "./pipeline-row";

export const saveDraftSchema = z.strictObject({
  projectId: z.uuid(),
  pipelineId: z.uuid(),
  /** As loaded, or as the last save answered. */
  revision: z.int().min(0),
  definition: z.unknown(),
  layout: layoutSchema.default({}),
});

/** Keeps an author's work. A save that saw an older draft is refused and changes nothing (PIP-4). */
export async function saveDraft(ctx: Ctx, raw: z.input<typeof saveDraftSchema>): Promise<{ revision: number; savedAt: Date }> {
  const input = parseInput(saveDraftSchema, raw);
  authorise(ctx, input.projectId, "pipeline.edit");
  const draft = parseDraft(input.definition);
  if (!draft.ok) throw invalidInput(draft.issues, "the draft");
  const saved = await inTransaction(ctx, async (tx) => {
    const row = await lockPipeline(tx, input);
    refuseGitManaged(row);
    refuseStale(row, input.revision);
    const next = row.draftRevision + 1;
    const savedAt = await storedNow(ctx, tx);
    await tx
      .update(pipelines)
      .set({
        draft: draft.definition,
        draftLayout: input.layout,
        draftRevision: next,
        draftBaseVersionNo: row.draft === null ? row.liveVersionNo : row.draftBaseVersionNo,
        draftUpdatedBy: actorOf(ctx.principal).label,
        draftUpdatedAt: savedAt,
      })
      .where(eq(pipelines.id, row.id));
    await writeAudit(tx, ctx, {
      projectId: input.projectId,
      verb: "pipeline.saveDraft",
      object: { kind: "pipeline", id: row.id, label: row.title },
      before: { revision: row.draftRevision },
      after: { revision: next, nodes: draft.definition.spec.nodes.length },
    });
    return { revision: next, savedAt };
  });
  ctx.ports.live.changed(input.projectId);
  return saved;
}

/** Says who saved and when, so that the author can choose between the two. */
export function refuseStale(row: PipelineRow, seen: number): void {
  if (row.draftRevision === seen) return;
  const by = row.draftUpdatedBy ?? "somebody";
  const at = row.draftUpdatedAt?.toISOString() ?? "meanwhile";
  throw new DomainError(
    "stale",
    `${by} saved this draft at ${at} (revision ${row.draftRevision}, you had ${seen}): load it again, keep yours as a copy, or save over it with the current revision`,
    { details: { revision: row.draftRevision, seenRevision: seen, savedBy: row.draftUpdatedBy, savedAt: row.draftUpdatedAt } },
  );
}
