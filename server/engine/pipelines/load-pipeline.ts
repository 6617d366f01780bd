import { z } from "zod";
import { selectPipelines } from "@/db/statements/pipelines/select-pipelines";
import { parseInput } from "@/server/domain/input";
import { type PipelineDefinition, pipelineNameSchema } from "@/server/domain/pipeline/definition";
import { toYaml } from "@/server/domain/pipeline/to-yaml";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type PipelineSummary, summarise } from "./list-pipelines";
import { type PipelinePlace, pipelinePlaceSchema } from "./load-draft";
import { definitionOf, findPipelineByName, liveVersion, pipelineNotFound, readPipeline } from "./pipeline-row";

export interface LiveVersion {
  readonly no: number;
  readonly definition: PipelineDefinition;
  readonly layout: Readonly<Record<string, { readonly x: number; readonly y: number }>>;
  readonly message: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly hash: string;
}

export interface PipelineDetail extends PipelineSummary {
  /** Null before the first publish. */
  readonly live: LiveVersion | null;
}

/** One pipeline with its live definition. */
export async function loadPipeline(ctx: Ctx, raw: PipelinePlace): Promise<PipelineDetail> {
  const place = parseInput(pipelinePlaceSchema, raw);
  authorise(ctx, place.projectId, "project.read");
  const row = await readPipeline(ctx.db, place);
  const [summary] = await summarise(ctx, await selectPipelines(ctx.db, { ...place, archived: false, limit: 1 }));
  if (!summary) throw pipelineNotFound(place.pipelineId);
  const version = await liveVersion(ctx.db, row);
  if (!version) return { ...summary, live: null };
  const { no, layout, message, createdBy, createdAt, hash } = version;
  return { ...summary, live: { no, definition: definitionOf(version), layout, message, createdBy, createdAt, hash } };
}

export const pipelineByNameSchema = z.strictObject({ projectId: z.uuid(), name: pipelineNameSchema });

/** The same, by the name that stands in REST paths. */
export async function loadPipelineByName(ctx: Ctx, raw: z.input<typeof pipelineByNameSchema>): Promise<PipelineDetail> {
  const { projectId, name } = parseInput(pipelineByNameSchema, raw);
  authorise(ctx, projectId, "project.read");
  const row = await findPipelineByName(ctx.db, projectId, name);
  if (!row) throw pipelineNotFound(name);
  return loadPipeline(ctx, { projectId, pipelineId: row.id });
}

/** The live definition as an author would keep it in git. */
export const yamlOf = (detail: PipelineDetail): string | null => (detail.live ? toYaml(detail.live.definition) : null);
