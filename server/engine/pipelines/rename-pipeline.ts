import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { pipelines } from "@/db/schema/pipelines";
import { titleSchema } from "@/server/domain/access/account";
import { parseInput } from "@/server/domain/input";
import type { PipelineDefinition } from "@/server/domain/pipeline/definition";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { definitionOf, liveVersion, lockPipeline, type PipelineRow, refuseGitManaged } from "./pipeline-row";
import { publishVersion } from "./publish-version";

export const renamePipelineSchema = z.strictObject({ projectId: z.uuid(), pipelineId: z.uuid(), title: titleSchema });

/**
 * Gives a pipeline another title; its name stays. The title is part of the definition, so a live one gets a version that
 * differs in nothing else, and an open draft follows.
 */
export async function renamePipeline(
  ctx: Ctx,
  raw: z.input<typeof renamePipelineSchema>,
): Promise<{ versionNo: number | null; revision: number }> {
  const { title, ...place } = parseInput(renamePipelineSchema, raw);
  authorise(ctx, place.projectId, "pipeline.publish");
  const renamed = await inTransaction(ctx, async (tx) => {
    const row = await lockPipeline(tx, place);
    refuseGitManaged(row);
    if (row.title === title) return { versionNo: row.liveVersionNo, revision: row.draftRevision };
    const revision = await renameDraft(tx, ctx, row, title);
    const live = await liveVersion(tx, row);
    if (live) {
      const definition = titled(definitionOf(live), title);
      const message = `Renamed from "${row.title}"`;
      const version = await publishVersion(tx, ctx, row, {
        definition,
        layout: live.layout,
        message,
        verb: "pipeline.rename",
        keepDraft: true,
      });
      return { versionNo: version.versionNo, revision };
    }
    await tx
      .update(pipelines)
      .set({ title, updatedBy: actorOf(ctx.principal).label, updatedAt: await storedNow(ctx, tx) })
      .where(eq(pipelines.id, row.id));
    await writeAudit(tx, ctx, {
      projectId: place.projectId,
      verb: "pipeline.rename",
      object: { kind: "pipeline", id: row.id, label: title },
      before: { title: row.title },
      after: { title },
    });
    return { versionNo: null, revision };
  });
  ctx.ports.live.changed(place.projectId);
  return renamed;
}

async function renameDraft(tx: Tx, ctx: Ctx, row: PipelineRow, title: string): Promise<number> {
  if (row.draft === null) return row.draftRevision;
  const revision = row.draftRevision + 1;
  await tx
    .update(pipelines)
    .set({
      draft: titled(row.draft as PipelineDefinition, title),
      draftRevision: revision,
      draftUpdatedBy: actorOf(ctx.principal).label,
      draftUpdatedAt: await storedNow(ctx, tx),
    })
    .where(eq(pipelines.id, row.id));
  return revision;
}

const titled = (definition: PipelineDefinition, title: string): PipelineDefinition => ({
  ...definition,
  metadata: { ...definition.metadata, title },
});
