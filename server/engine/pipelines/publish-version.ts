import { createHash } from "node:crypto";
import { desc, eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { pipelines, pipelineVersions } from "@/db/schema/pipelines";
import { canonicalJson } from "@/server/domain/canonical-json";
import type { PipelineDefinition } from "@/server/domain/pipeline/definition";
import { type DefinitionDiff, diffDefinitions } from "@/server/domain/pipeline/diff";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx } from "@/server/engine/context";
import { ensurePools, poolsNamedBy } from "@/server/engine/pools/ensure-pools";
import { syncSchedules } from "@/server/engine/schedules/sync-schedules";
import { storedNow } from "@/server/engine/stored-clock";
import { definitionOf, liveVersion, type PipelineRow } from "./pipeline-row";

export interface NewVersion {
  readonly definition: PipelineDefinition;
  readonly layout: PipelineRow["draftLayout"];
  readonly message: string;
  /** Stands in the audit row: what the caller did. */
  readonly verb: string;
  readonly reason?: string | null;
  /** A console draft that is now live, or one that an outside apply leaves alone. */
  readonly keepDraft: boolean;
  readonly managedBy?: "console" | "git";
}

export interface PublishedVersion {
  readonly versionNo: number;
  /** The definition was live already: no version was made. */
  readonly unchanged: boolean;
  /** Pools that it names and that were not there: each was made with one slot. */
  readonly poolsMade: readonly string[];
}

export const definitionHash = (definition: PipelineDefinition): string =>
  createHash("sha256").update(canonicalJson(definition)).digest("hex");

/**
 * Makes a definition live, in the caller's transaction and under its lock of the pipeline: immutable version, live pointer,
 * schedules and audit row commit together. The caller has judged the definition.
 */
export async function publishVersion(tx: Tx, ctx: Ctx, row: PipelineRow, input: NewVersion): Promise<PublishedVersion> {
  const live = await liveVersion(tx, row);
  const hash = definitionHash(input.definition);
  const managedBy = input.managedBy ?? row.managedBy;
  if (live?.hash === hash && managedBy === row.managedBy) {
    if (!input.keepDraft) await dropDraft(tx, row, live.no);
    return { versionNo: live.no, unchanged: true, poolsMade: [] };
  }
  const version = live?.hash === hash ? live : await insertVersion(tx, ctx, row, input, hash);
  const { metadata, spec } = input.definition;
  await tx
    .update(pipelines)
    .set({
      title: metadata.title,
      owner: metadata.owner,
      labels: metadata.labels,
      liveVersionId: version.id,
      liveVersionNo: version.no,
      managedBy,
      updatedBy: actorOf(ctx.principal).label,
      updatedAt: await storedNow(ctx, tx),
    })
    .where(eq(pipelines.id, row.id));
  if (!input.keepDraft) await dropDraft(tx, row, version.no);
  await syncSchedules(ctx, tx, {
    projectId: row.projectId,
    pipelineId: row.id,
    pipelineOn: row.enabled,
    versionNo: version.no,
    schedules: spec.schedules,
  });
  const poolsMade = await ensurePools(tx, ctx, row.projectId, poolsNamedBy(input.definition));
  await writeAudit(tx, ctx, {
    projectId: row.projectId,
    verb: input.verb,
    object: { kind: "pipeline", id: row.id, label: metadata.title },
    reason: input.reason ?? null,
    before: live ? { version: live.no, hash: live.hash, managedBy: row.managedBy } : null,
    after: {
      version: version.no,
      hash,
      managedBy,
      message: input.message,
      changes: live ? changesOf(diffDefinitions(definitionOf(live), input.definition)) : { added: spec.nodes.map(({ key }) => key) },
    },
  });
  return { versionNo: version.no, unchanged: false, poolsMade };
}

async function insertVersion(tx: Tx, ctx: Ctx, row: PipelineRow, input: NewVersion, hash: string): Promise<{ id: string; no: number }> {
  const [last] = await tx
    .select({ no: pipelineVersions.no })
    .from(pipelineVersions)
    .where(eq(pipelineVersions.pipelineId, row.id))
    .orderBy(desc(pipelineVersions.no))
    .limit(1);
  const version = { id: ctx.ids.uuid(), no: (last?.no ?? 0) + 1 };
  await tx.insert(pipelineVersions).values({
    ...version,
    pipelineId: row.id,
    definition: input.definition,
    layout: input.layout,
    hash,
    message: input.message,
    createdBy: actorOf(ctx.principal).label,
  });
  return version;
}

const dropDraft = (tx: Tx, row: PipelineRow, baseNo: number) =>
  tx.update(pipelines).set({ draft: null, draftBaseVersionNo: baseNo }).where(eq(pipelines.id, row.id));

/** Names alone: the versions themselves hold every value, for ever. */
const changesOf = (diff: DefinitionDiff) => ({
  added: diff.added,
  removed: diff.removed,
  changed: diff.changed.map(({ key, fields }) => ({ node: key, fields: fields.map(({ path }) => path) })),
  settings: diff.settings.map(({ path }) => path),
  reordered: diff.reordered,
});
