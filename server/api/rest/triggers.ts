import { z } from "@hono/zod-openapi";
import type { TriggerOutcome } from "@/server/engine/runs/trigger-requests";
import { triggerRun } from "@/server/engine/runs/trigger-run";
import { MAX_TRIGGERED, triggerRuns } from "@/server/engine/runs/trigger-runs";
import { answer, endpoint, problemSchema, type RestApp } from "./endpoint";
import { pipelineParam, pipelineParams, projectOf, projectParams } from "./inputs";

const triggeredSchema = z.object({ id: z.uuid(), state: z.string(), repeated: z.boolean() }).openapi("TriggeredRun");
const refusedSchema = problemSchema.pick({ code: true, detail: true, issues: true }).openapi("RefusedRun");
const paramsBody = z.record(z.string(), z.unknown()).optional();

/** The doors through which scripts start runs. */
export function triggerEndpoints(app: RestApp): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/projects/{project}/pipelines/{name}/runs",
      tag: "Runs",
      summary: "Start a run",
      description: "With the same `Idempotency-Key` a request that is sent again answers with the run that the first one made.",
      params: pipelineParams,
      headers: z.object({ "idempotency-key": z.string().max(200).optional() }),
      body: z.strictObject({ params: paramsBody }),
      answers: {
        201: { description: "A run was made", schema: triggeredSchema },
        200: { description: "The key was known: its run", schema: triggeredSchema },
      },
    },
    async ({ ctx, params, body, header }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "run.trigger");
      const idempotencyKey = header("idempotency-key");
      const run = await triggerRun(ctx, {
        projectId,
        pipeline: params.name,
        kind: "api",
        ...(body.params ? { params: body.params } : {}),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      });
      return answer({ id: run.id, state: run.state, repeated: run.repeated }, run.repeated ? 200 : 201, {
        location: `/api/v1/runs/${run.id}`,
      });
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/projects/{project}/runs",
      tag: "Runs",
      summary: "Start many runs at once",
      description: `Up to ${MAX_TRIGGERED} in one commit. Each item is a run or a refusal, in the order of the request; a refusal keeps none of the others back.`,
      params: projectParams,
      body: z.strictObject({
        runs: z
          .array(z.strictObject({ pipeline: pipelineParam, params: paramsBody, idempotencyKey: z.string().max(200).optional() }))
          .min(1)
          .max(MAX_TRIGGERED),
      }),
      answers: {
        200: { description: "What became of each", schema: z.object({ items: z.array(z.union([triggeredSchema, refusedSchema])) }) },
      },
    },
    async ({ ctx, params, body }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "run.trigger");
      const outcomes = await triggerRuns(
        ctx,
        body.runs.map((run) => ({ ...run, projectId, kind: "api" as const })),
      );
      return answer({ items: outcomes.map(itemJson) });
    },
  );
}

const itemJson = (outcome: TriggerOutcome): z.input<typeof triggeredSchema> | z.input<typeof refusedSchema> => {
  if (outcome.kind === "triggered") return { ...outcome.run };
  const { code, message, issues } = outcome.error;
  return { code, detail: message, issues: issues.map((issue) => ({ path: issue.path, message: issue.message, code: issue.code })) };
};
