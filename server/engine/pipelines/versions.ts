import { and, desc, eq, lt } from "drizzle-orm";
import { z } from "zod";
import { pipelineVersions } from "@/db/schema/pipelines";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import type { PipelineDefinition } from "@/server/domain/pipeline/definition";
import { type DefinitionDiff, diffDefinitions } from "@/server/domain/pipeline/diff";
import { toYaml } from "@/server/domain/pipeline/to-yaml";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { definitionOf, liveVersion, type PipelineRow, readPipeline, type VersionRow } from "./pipeline-row";

const versionNoSchema = z.int().min(1).max(1_000_000_000);
const place = { projectId: z.uuid(), pipelineId: z.uuid() };

export const listVersionsSchema = z.strictObject({ ...place, cursor: versionNoSchema.optional(), limit: pageLimitSchema });
export const loadVersionSchema = z.strictObject({ ...place, no: versionNoSchema });
/** A version by number, what is live, or the draft. */
const sideSchema = z.union([versionNoSchema, z.literal("live"), z.literal("draft")]);
export const diffVersionsSchema = z.strictObject({ ...place, from: sideSchema, to: sideSchema });

export interface VersionSummary {
  readonly no: number;
  readonly message: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly hash: string;
  readonly isLive: boolean;
}

export interface VersionDetail extends VersionSummary {
  readonly definition: PipelineDefinition;
  readonly layout: VersionRow["layout"];
  readonly yaml: string;
}

export async function listVersions(ctx: Ctx, raw: z.input<typeof listVersionsSchema>): Promise<Page<VersionSummary>> {
  const input = parseInput(listVersionsSchema, raw);
  authorise(ctx, input.projectId, "project.read");
  const row = await readPipeline(ctx.db, input);
  const rows = await ctx.db
    .select()
    .from(pipelineVersions)
    .where(and(eq(pipelineVersions.pipelineId, row.id), input.cursor ? lt(pipelineVersions.no, input.cursor) : undefined))
    .orderBy(desc(pipelineVersions.no))
    .limit(input.limit + 1);
  return pageOf(
    rows,
    input.limit,
    ({ no }) => String(no),
    (version) => summaryOf(version, row),
  );
}

/** One version, whole; it never changes. */
export async function loadVersion(ctx: Ctx, raw: z.input<typeof loadVersionSchema>): Promise<VersionDetail> {
  const input = parseInput(loadVersionSchema, raw);
  authorise(ctx, input.projectId, "project.read");
  const row = await readPipeline(ctx.db, input);
  const version = await versionOf(ctx, row, input.no);
  const definition = definitionOf(version);
  return { ...summaryOf(version, row), definition, layout: version.layout, yaml: toYaml(definition) };
}

/** What lies between any two of versions, live and draft (PIP-1). */
export async function diffVersions(ctx: Ctx, raw: z.input<typeof diffVersionsSchema>): Promise<DefinitionDiff> {
  const input = parseInput(diffVersionsSchema, raw);
  authorise(ctx, input.projectId, "project.read");
  const row = await readPipeline(ctx.db, input);
  const [from, to] = await Promise.all([side(ctx, row, input.from), side(ctx, row, input.to)]);
  return diffDefinitions(from, to);
}

async function side(ctx: Ctx, row: PipelineRow, which: z.output<typeof sideSchema>): Promise<PipelineDefinition> {
  if (which === "draft" && row.draft !== null) return row.draft as PipelineDefinition;
  if (typeof which === "number") return definitionOf(await versionOf(ctx, row, which));
  const live = await liveVersion(ctx.db, row);
  if (!live)
    throw new DomainError("not_found", `${row.name} has no live version yet: publish it first`, { details: { pipeline: row.name } });
  return definitionOf(live);
}

async function versionOf(ctx: Ctx, row: PipelineRow, no: number): Promise<VersionRow> {
  const [version] = await ctx.db
    .select()
    .from(pipelineVersions)
    .where(and(eq(pipelineVersions.pipelineId, row.id), eq(pipelineVersions.no, no)));
  if (!version) throw new DomainError("not_found", `${row.name} has no version ${no}`, { details: { pipeline: row.name, version: no } });
  return version;
}

const summaryOf = (version: VersionRow, row: PipelineRow): VersionSummary => ({
  no: version.no,
  message: version.message,
  createdBy: version.createdBy,
  createdAt: version.createdAt,
  hash: version.hash,
  isLive: version.id === row.liveVersionId,
});
