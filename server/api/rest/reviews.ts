import { z } from "@hono/zod-openapi";
import { nodeKeySchema, textSchema } from "@/server/domain/pipeline/definition";
import { NODE_ACTIONS } from "@/server/domain/run/possible";
import { REVIEW_CAUSES } from "@/server/domain/run/review-cause";
import { decideReviews, MAX_DECIDED } from "@/server/engine/reviews/decide-reviews";
import { listReviews, type Review } from "@/server/engine/reviews/list-reviews";
import { answer, endpoint, type RestApp } from "./endpoint";
import { cursorQuery, limitQuery, projectOf, projectParams } from "./inputs";
import { pageJson, pageSchema } from "./views";

const instant = z.iso.datetime();
const reviewSchema = z
  .object({
    runId: z.string(),
    runState: z.string(),
    node: z.string(),
    generation: z.int().openapi({ description: "Hand it back with a decision: one on a later stay is refused." }),
    pipeline: z.string(),
    owner: z.string(),
    since: instant,
    dueBy: instant,
    cause: z.enum(REVIEW_CAUSES),
    why: z.string(),
    rule: z.object({ name: z.string(), version: z.int() }).nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    attempts: z.int(),
    maybeRepeated: z.boolean().openapi({ description: "An attempt's fate is unknown: its effect may have happened." }),
  })
  .openapi("Review");

const reviewJson = ({ run, node, pipeline, since, dueBy, ...review }: Review): z.input<typeof reviewSchema> => ({
  ...{ runId: run.id, runState: run.state, node: node.key, generation: node.generation, pipeline: pipeline.name },
  ...review,
  ...{ since: since.toISOString(), dueBy: dueBy.toISOString() },
});

const decisionSchema = z.object({
  runId: z.string(),
  node: z.string(),
  result: z
    .enum(["done", "refused", "undecided"])
    .openapi({ description: "`undecided`: give it again; what is done is refused as stale." }),
  refused: z.object({ code: z.string(), message: z.string() }).nullable().openapi({ description: "Null where it is done." }),
});

export function reviewEndpoints(app: RestApp): void {
  const tag = "Reviews";
  endpoint(
    app,
    {
      ...{ method: "get", path: "/projects/{project}/reviews", tag, summary: "Nodes that wait for a person, the longest first" },
      params: projectParams,
      query: z.strictObject({ code: z.string().max(64).optional(), cursor: cursorQuery, limit: limitQuery }),
      answers: { 200: { description: "One page", schema: pageSchema(reviewSchema) } },
    },
    async ({ ctx, params, query }) => {
      const { id } = await projectOf(ctx, params.project, "project.read");
      return answer(pageJson(await listReviews(ctx, { projectId: id, ...query }), reviewJson));
    },
  );
  endpoint(
    app,
    {
      ...{ method: "post", path: "/projects/{project}/reviews/decide", tag, summary: "Decide on nodes of the review queue" },
      description: "Each by itself: what has moved on since is left alone and told, and keeps back none of the others.",
      params: projectParams,
      body: z.strictObject({
        action: z.enum(NODE_ACTIONS),
        reason: textSchema(500).meta({ description: "Why; it stands in the audit rows." }),
        items: z
          .array(z.strictObject({ runId: z.uuid(), node: nodeKeySchema, generation: z.int().min(1) }))
          .min(1)
          .max(MAX_DECIDED),
      }),
      answers: { 200: { description: "What became of each", schema: z.object({ items: z.array(decisionSchema) }) } },
    },
    async ({ ctx, params, body: { action, reason, items } }) => {
      const { id } = await projectOf(ctx, params.project, "run.intervene");
      const wanted = items.map(({ runId, node, generation }) => ({ runId, key: node, generation }));
      const decided = await decideReviews(ctx, { projectId: id, action, reason, items: wanted });
      return answer({ items: decided.map(({ key, ...decision }) => ({ ...decision, node: key })) });
    },
  );
}
