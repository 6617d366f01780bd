import type { Tx } from "@/db/client";
import { invalidInput } from "@/server/domain/input";
import type { PipelineDefinition } from "@/server/domain/pipeline/definition";
import { type DefinitionDiff, diffDefinitions } from "@/server/domain/pipeline/diff";
import { type ParsedDefinition, parseDefinition, parseDefinitionText } from "@/server/domain/pipeline/parse-definition";
import { authorise } from "@/server/engine/access/authorise";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { missingPools, poolsNamedBy } from "@/server/engine/pools/ensure-pools";
import { insertPipeline, nameTaken } from "./create-pipeline";
import { definitionOf, findPipelineByName, liveVersion, lockPipeline, type PipelineRow } from "./pipeline-row";
import { judgedDefinition } from "./publish";
import { definitionHash, publishVersion } from "./publish-version";

export interface ApplyDefinition {
  readonly projectId: string;
  /** From the address; the definition's own name must be the same. */
  readonly name: string;
  readonly source: { readonly kind: "text"; readonly text: string } | { readonly kind: "value"; readonly value: unknown };
  readonly message?: string;
  /** `git` makes the pipeline read-only in the console; absent leaves it as it is. */
  readonly managedBy?: "console" | "git";
  readonly dryRun?: boolean;
  readonly enabled?: boolean;
}

export interface Applied {
  readonly outcome: "created" | "published" | "unchanged";
  /** Null for a dry run of what does not exist yet. */
  readonly pipelineId: string | null;
  /** The live version after it; of a dry run, the one that it would make. */
  readonly version: number;
  readonly dryRun: boolean;
  /** Null where there was nothing before. */
  readonly diff: DefinitionDiff | null;
  /** Pools that it names and that were not there: each is made with one slot. */
  readonly poolsMade: readonly string[];
}

/** Definitions as code: creates the pipeline or makes a new live version; the same definition twice changes nothing (PIP-7). */
export async function applyDefinition(ctx: Ctx, input: ApplyDefinition): Promise<Applied> {
  authorise(ctx, input.projectId, "pipeline.publish");
  const parsed = read(input.source);
  if (!parsed.ok) throw invalidInput(parsed.issues, "the definition");
  const definition = judgedDefinition(parsed.definition, input.name);
  if (input.dryRun) return preview(ctx, input, definition);
  const applied = await inTransaction(ctx, (tx) => apply(tx, ctx, input, definition));
  if (applied.outcome !== "unchanged") ctx.ports.live.changed(input.projectId);
  return applied;
}

const read = (source: ApplyDefinition["source"]): ParsedDefinition =>
  source.kind === "text" ? parseDefinitionText(source.text) : parseDefinition(source.value);

async function apply(tx: Tx, ctx: Ctx, input: ApplyDefinition, definition: PipelineDefinition): Promise<Applied> {
  const { row, isNew } = await findOrInsert(tx, ctx, input, definition);
  const live = await liveVersion(tx, row);
  const published = await publishVersion(tx, ctx, row, {
    definition,
    layout: live?.layout ?? {},
    message: input.message ?? "",
    verb: "pipeline.apply",
    keepDraft: true,
    ...(input.managedBy ? { managedBy: input.managedBy } : {}),
  });
  return {
    outcome: isNew ? "created" : published.unchanged ? "unchanged" : "published",
    pipelineId: row.id,
    version: published.versionNo,
    dryRun: false,
    diff: live ? diffDefinitions(definitionOf(live), definition) : null,
    poolsMade: published.poolsMade,
  };
}

async function findOrInsert(
  tx: Tx,
  ctx: Ctx,
  input: ApplyDefinition,
  { metadata }: PipelineDefinition,
): Promise<{ row: PipelineRow; isNew: boolean }> {
  const found = await findPipelineByName(tx, input.projectId, input.name);
  if (found) return { row: await lockPipeline(tx, { projectId: input.projectId, pipelineId: found.id }), isNew: false };
  const { title, owner, labels } = metadata;
  const made = await insertPipeline(tx, ctx, {
    projectId: input.projectId,
    name: input.name,
    title,
    owner,
    labels,
    ...(input.managedBy ? { managedBy: input.managedBy } : {}),
    ...(input.enabled === undefined ? {} : { enabled: input.enabled }),
  });
  if (made) return { row: made, isNew: true };
  // Another apply of the same name committed while this one waited for the unique key.
  const other = await findPipelineByName(tx, input.projectId, input.name);
  if (!other) throw nameTaken(input.name);
  return { row: await lockPipeline(tx, { projectId: input.projectId, pipelineId: other.id }), isNew: false };
}

async function preview(ctx: Ctx, input: ApplyDefinition, definition: PipelineDefinition): Promise<Applied> {
  const row = await findPipelineByName(ctx.db, input.projectId, input.name);
  const live = row ? await liveVersion(ctx.db, row) : null;
  const unchanged = live?.hash === definitionHash(definition);
  return {
    outcome: row === null ? "created" : unchanged ? "unchanged" : "published",
    pipelineId: row?.id ?? null,
    version: unchanged ? (live?.no ?? 1) : (row?.liveVersionNo ?? 0) + 1,
    dryRun: true,
    diff: live ? diffDefinitions(definitionOf(live), definition) : null,
    poolsMade: unchanged ? [] : await missingPools(ctx.db, input.projectId, poolsNamedBy(definition)),
  };
}
