import { z } from "@hono/zod-openapi";
import { cancelNode } from "@/server/engine/runs/cancel-node";
import { loadLogs } from "@/server/engine/runs/load-logs";
import { markSuccess } from "@/server/engine/runs/mark-success";
import { rerunFrom } from "@/server/engine/runs/rerun-from";
import { retryNode } from "@/server/engine/runs/retry-node";
import { skipNode } from "@/server/engine/runs/skip-node";
import { answer, endpoint, type RestApp } from "./endpoint";
import { nodeParams, wholeNumber } from "./inputs";
import { intervenedJson, intervenedSchema, reasonBody } from "./runs";
import { logJson, logSchema } from "./views";

const MOST = 1_000_000;

const NODE_VERBS = [
  { word: "retry", summary: "Run a failed node again", verb: retryNode },
  { word: "skip", summary: "Skip a node and go on", verb: skipNode },
  { word: "cancel", summary: "Cancel a node", verb: cancelNode },
  { word: "rerun-from", summary: "Run a node and all that comes after it again", verb: rerunFrom },
] as const;

export function nodeEndpoints(app: RestApp): void {
  for (const { word, summary, verb } of NODE_VERBS) {
    endpoint(
      app,
      {
        method: "post",
        path: `/runs/{id}/nodes/{key}/${word}`,
        tag: "Interventions",
        summary,
        params: nodeParams,
        body: reasonBody,
        answers: { 200: { description: "The run after it", schema: intervenedSchema } },
      },
      async ({ ctx, params, body }) => answer(intervenedJson(await verb(ctx, { runId: params.id, key: params.key, ...body }))),
    );
  }
  endpoint(
    app,
    {
      method: "post",
      path: "/runs/{id}/nodes/{key}/mark-success",
      tag: "Interventions",
      summary: "Count a node as done, with an output that you give",
      params: nodeParams,
      body: reasonBody.extend({ output: z.json().optional().openapi({ description: "What its successors read.", type: "object" }) }),
      answers: { 200: { description: "The run after it", schema: intervenedSchema } },
    },
    async ({ ctx, params, body }) => answer(intervenedJson(await markSuccess(ctx, { runId: params.id, key: params.key, ...body }))),
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/runs/{id}/nodes/{key}/logs",
      tag: "Runs",
      summary: "Read the log of a node",
      description: "The end of its latest attempt, unless the query says otherwise. Read on with `after`, back with `before`.",
      params: nodeParams,
      query: z.strictObject({
        generation: wholeNumber(1, MOST, "The latest where it is left out.").optional(),
        attempt: wholeNumber(1, MOST, "The latest where it is left out.").optional(),
        after: wholeNumber(-1, MOST, "Chunks after this one.").optional(),
        before: wholeNumber(0, MOST, "Chunks before this one.").optional(),
        tail: wholeNumber(1, 100, "How many chunks; 20 where it is left out.").optional(),
      }),
      answers: { 200: { description: "Lines", schema: logSchema } },
    },
    async ({ ctx, params, query }) => answer(logJson(await loadLogs(ctx, { runId: params.id, key: params.key, ...query }))),
  );
}
