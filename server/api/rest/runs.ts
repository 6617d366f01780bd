import { z } from "@hono/zod-openapi";
import { RUN_STATES } from "@/server/domain/run/states";
import { cancelRun } from "@/server/engine/runs/cancel-run";
import { listRuns } from "@/server/engine/runs/list-runs";
import { loadRun } from "@/server/engine/runs/load-run";
import { pauseRun } from "@/server/engine/runs/pause-run";
import { rerunRun } from "@/server/engine/runs/rerun-run";
import { resumeRun } from "@/server/engine/runs/resume-run";
import { listRunEvents } from "@/server/engine/runs/run-events";
import { answer, endpoint, type RestApp } from "./endpoint";
import { cursorQuery, limitQuery, pipelineParam, projectOf, projectParam, runParams } from "./inputs";
import { pageJson, pageSchema, runJson, runRowJson, runRowSchema, runSchema } from "./views";

export const reasonBody = z.strictObject({
  reason: z.string().max(500).openapi({ description: "Why; it stands in the audit row." }),
  expectedSeq: z.int().min(0).optional().openapi({ description: "The run as you saw it; refused with 409 when it has moved since." }),
});

export const intervenedSchema = z
  .object({ id: z.uuid(), state: z.string(), seq: z.int(), changed: z.array(z.string()) })
  .openapi("Intervened");
export const intervenedJson = ({
  runId,
  state,
  seq,
  changed,
}: {
  runId: string;
  state: string;
  seq: number;
  changed: readonly string[];
}) => ({
  id: runId,
  state,
  seq,
  changed,
});

/** Comma-separated in an address: `state=FAILED,PAUSED`. */
const statesQuery = z
  .string()
  .max(100)
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(RUN_STATES)).max(RUN_STATES.length))
  .optional()
  .openapi({ type: "string", description: `One or more of ${RUN_STATES.join(", ")}, with commas between.` });

const eventSchema = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    event: z.string(),
    node: z.string().nullable(),
    generation: z.int().nullable(),
    attempt: z.int().nullable(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    actor: z.object({ kind: z.string(), id: z.string(), label: z.string() }),
    cause: z.string(),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi("RunEvent");

export function runEndpoints(app: RestApp): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/runs",
      tag: "Runs",
      summary: "List runs, newest first",
      query: z.strictObject({
        project: projectParam.optional(),
        pipeline: pipelineParam.optional(),
        state: statesQuery,
        cursor: cursorQuery,
        limit: limitQuery,
      }),
      answers: { 200: { description: "One page", schema: pageSchema(runRowSchema) } },
    },
    async ({ ctx, query: { project, ...filter } }) => {
      const { id: projectId } = await projectOf(ctx, project, "project.read");
      return answer(pageJson(await listRuns(ctx, { projectId, ...filter }), runRowJson));
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/runs/{id}",
      tag: "Runs",
      summary: "Get a run with its nodes and attempts",
      params: runParams,
      answers: { 200: { description: "The run", schema: runSchema } },
    },
    async ({ ctx, params }) => answer(runJson(await loadRun(ctx, params.id))),
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/runs/{id}/events",
      tag: "Runs",
      summary: "Everything that happened to a run, oldest first",
      params: runParams,
      query: z.strictObject({ cursor: cursorQuery, limit: limitQuery }),
      answers: { 200: { description: "One page", schema: pageSchema(eventSchema) } },
    },
    async ({ ctx, params, query }) => {
      const page = await listRunEvents(ctx, { runId: params.id, ...query });
      return answer(
        pageJson(page, ({ nodeKey, attemptNo, at, ...event }) => ({ ...event, at: at.toISOString(), node: nodeKey, attempt: attemptNo })),
      );
    },
  );
  interventions(app);
}

const RUN_VERBS = [
  { word: "cancel", summary: "Cancel a run", verb: cancelRun },
  { word: "pause", summary: "Pause a run: what runs goes on, nothing new starts", verb: pauseRun },
  { word: "resume", summary: "Resume a paused run", verb: resumeRun },
] as const;

function interventions(app: RestApp): void {
  for (const { word, summary, verb } of RUN_VERBS) {
    endpoint(
      app,
      {
        method: "post",
        path: `/runs/{id}/${word}`,
        tag: "Interventions",
        summary,
        params: runParams,
        body: reasonBody,
        answers: { 200: { description: "The run after it", schema: intervenedSchema } },
      },
      async ({ ctx, params, body }) => answer(intervenedJson(await verb(ctx, { runId: params.id, ...body }))),
    );
  }
  endpoint(
    app,
    {
      method: "post",
      path: "/runs/{id}/rerun",
      tag: "Interventions",
      summary: "Run the whole run again, as a new run of the same version",
      params: runParams,
      body: reasonBody,
      answers: { 201: { description: "The new run", schema: z.object({ id: z.uuid(), state: z.string(), rerunOf: z.uuid() }) } },
    },
    async ({ ctx, params, body }) => {
      const run = await rerunRun(ctx, { runId: params.id, ...body });
      return answer({ id: run.id, state: run.state, rerunOf: params.id }, 201, { location: `/api/v1/runs/${run.id}` });
    },
  );
}
