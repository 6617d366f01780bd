import { z } from "@hono/zod-openapi";
import { textSchema } from "@/server/domain/pipeline/definition";
import { briefDefinition } from "@/server/domain/pipeline/to-yaml";
import { applyDefinition } from "@/server/engine/pipelines/apply-definition";
import { listPipelines } from "@/server/engine/pipelines/list-pipelines";
import { loadPipelineByName, type PipelineDetail, yamlOf } from "@/server/engine/pipelines/load-pipeline";
import { answer, endpoint, type RestApp } from "./endpoint";
import { cursorQuery, flagQuery, limitQuery, pipelineParams, projectOf, projectParams } from "./inputs";
import { pageJson, pageSchema } from "./views";

const YAML = ["application/yaml", "application/x-yaml", "text/yaml"];
const definition = z.unknown().openapi("PipelineDefinition");

const summarySchema = z
  .object({
    name: z.string(),
    title: z.string(),
    owner: z.string(),
    labels: z.record(z.string(), z.string()),
    enabled: z.boolean(),
    archived: z.boolean(),
    managedBy: z.enum(["console", "git"]),
    version: z.int().nullable(),
    draftDiffers: z.boolean(),
    nextFireAt: z.iso.datetime().nullable(),
    reads: z.array(z.string()),
    writes: z.array(z.string()),
  })
  .openapi("Pipeline");

const appliedSchema = z
  .object({
    name: z.string(),
    outcome: z.enum(["created", "published", "unchanged"]),
    version: z.int(),
    dryRun: z.boolean(),
    diff: z.unknown(),
    poolsMade: z.array(z.string()).openapi({ description: "Pools that it names and that were not there: each is made with one slot." }),
  })
  .openapi("Applied");

const summaryJson = (row: Omit<PipelineDetail, "live">): z.input<typeof summarySchema> => ({
  name: row.name,
  title: row.title,
  owner: row.owner,
  labels: row.labels,
  enabled: row.enabled,
  archived: row.archivedAt !== null,
  managedBy: row.managedBy,
  version: row.liveVersionNo,
  draftDiffers: row.draftDiffers,
  nextFireAt: row.nextFireAt?.toISOString() ?? null,
  reads: [...row.reads],
  writes: [...row.writes],
});

export function pipelineEndpoints(app: RestApp): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/projects/{project}/pipelines",
      tag: "Pipelines",
      summary: "List pipelines by name",
      params: projectParams,
      query: z.strictObject({ search: textSchema(200).optional(), archived: flagQuery, cursor: cursorQuery, limit: limitQuery }),
      answers: { 200: { description: "One page", schema: pageSchema(summarySchema) } },
    },
    async ({ ctx, params, query }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "project.read");
      return answer(pageJson(await listPipelines(ctx, { projectId, ...query }), summaryJson));
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/projects/{project}/pipelines/{name}",
      tag: "Pipelines",
      summary: "Get a pipeline with its live definition",
      description: "With `Accept: application/yaml` the definition alone, as it would stand in git.",
      params: pipelineParams,
      answers: { 200: { description: "The pipeline", schema: summarySchema.extend({ definition: definition.nullable() }) } },
    },
    async ({ ctx, params, header }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "project.read");
      const detail = await loadPipelineByName(ctx, { projectId, name: params.name });
      const yaml = yamlOf(detail);
      if (yaml !== null && YAML.some((media) => header("accept")?.includes(media))) {
        return new Response(yaml, { headers: { "content-type": "application/yaml; charset=utf-8", "cache-control": "no-store" } });
      }
      return answer({ ...summaryJson(detail), definition: detail.live ? briefDefinition(detail.live.definition) : null });
    },
  );
  applyEndpoint(app);
}

function applyEndpoint(app: RestApp): void {
  endpoint(
    app,
    {
      method: "put",
      path: "/projects/{project}/pipelines/{name}",
      tag: "Pipelines",
      summary: "Apply a definition",
      description: "Creates the pipeline, or makes a new live version of it. The same definition again changes nothing.",
      params: pipelineParams,
      query: z.strictObject({
        dryRun: flagQuery.openapi({ description: "Only tell what would change." }),
        managedBy: z.enum(["console", "git"]).optional().openapi({ description: "`git` makes the pipeline read-only in the console." }),
        message: textSchema(2_000).optional(),
      }),
      text: { media: ["application/json", ...YAML], description: "The definition, as JSON or YAML.", schema: definition },
      answers: {
        200: { description: "Published, unchanged, or a dry run", schema: appliedSchema },
        201: { description: "Created", schema: appliedSchema },
      },
    },
    async ({ ctx, params, query, text }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "pipeline.publish");
      const { managedBy, message, dryRun } = query;
      const applied = await applyDefinition(ctx, {
        projectId,
        name: params.name,
        source: { kind: "text", text },
        dryRun,
        ...(managedBy ? { managedBy } : {}),
        ...(message === undefined ? {} : { message }),
      });
      const { outcome, version, diff, poolsMade } = applied;
      return answer({ name: params.name, outcome, version, dryRun, diff, poolsMade }, outcome === "created" && !dryRun ? 201 : 200);
    },
  );
}
