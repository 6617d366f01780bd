import { z } from "@hono/zod-openapi";
import { discardDeadLetter } from "@/server/engine/dead-letters/discard-dead-letter";
import { type DeadLetter, LETTER_CAUSES } from "@/server/engine/dead-letters/letter-view";
import { listDeadLetters } from "@/server/engine/dead-letters/list-dead-letters";
import { loadDeadLetter } from "@/server/engine/dead-letters/load-dead-letter";
import { releaseDeadLetter } from "@/server/engine/dead-letters/release-dead-letter";
import { answer, endpoint, type RestApp } from "./endpoint";
import { cursorQuery, limitQuery, projectOf, projectParams } from "./inputs";
import { pageJson, pageSchema } from "./views";

const instant = z.iso.datetime();
const fault = z.object({ code: z.string(), message: z.string() }).nullable();

const letterSchema = z
  .object({
    id: z.uuid(),
    pipeline: z.string(),
    runId: z.uuid(),
    runState: z.string(),
    node: z.string(),
    nodeState: z.string(),
    generation: z.int(),
    attempt: z.int(),
    cause: z.enum(LETTER_CAUSES).openapi({
      description:
        "`lost`: its worker was lost again and again. `died`: it takes along what runs it. `undecidable`: the engine cannot go on.",
    }),
    why: z.string(),
    error: fault,
    at: instant,
    closed: z
      .object({ at: instant, as: z.string(), by: z.string().nullable(), reason: z.string().nullable() })
      .nullable()
      .openapi({ description: "Null while it waits for a person." }),
  })
  .openapi("DeadLetter");

const attemptSchema = z.object({
  no: z.int(),
  outcome: z.string().nullable(),
  workerId: z.string().nullable(),
  dispatchedAt: instant,
  committedAt: instant.nullable(),
  error: fault,
});

const letterJson = ({ pipeline, run, node, attemptNo, closed, at, projectId: _, ...letter }: DeadLetter): z.input<typeof letterSchema> => ({
  id: letter.id,
  pipeline: pipeline.name,
  runId: run.id,
  runState: run.state,
  node: node.key,
  nodeState: node.state,
  generation: letter.generation,
  attempt: attemptNo,
  cause: letter.cause,
  why: letter.why,
  error: letter.error,
  at: at.toISOString(),
  closed: closed && { at: closed.at.toISOString(), as: closed.as, by: closed.by?.label ?? null, reason: closed.reason },
});

const letterParams = z.strictObject({ id: z.uuid().openapi({ description: "Id of the dead letter." }) });

const ACTS = [
  { word: "release", summary: "Run the node of a dead letter again", verb: releaseDeadLetter },
  { word: "discard", summary: "Give a dead letter up: its node is cancelled", verb: discardDeadLetter },
] as const;

export function deadLetterEndpoints(app: RestApp): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/projects/{project}/dead-letters",
      tag: "Dead letters",
      summary: "What went round too often and waits for a person, newest first",
      params: projectParams,
      query: z.strictObject({
        show: z.enum(["open", "closed"]).default("open"),
        cause: z.enum(LETTER_CAUSES).optional(),
        cursor: cursorQuery,
        limit: limitQuery,
      }),
      answers: { 200: { description: "One page", schema: pageSchema(letterSchema) } },
    },
    async ({ ctx, params, query }) => {
      const { id: projectId } = await projectOf(ctx, params.project, "project.read");
      return answer(pageJson(await listDeadLetters(ctx, { projectId, ...query }), letterJson));
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/dead-letters/{id}",
      tag: "Dead letters",
      summary: "Get a dead letter with the attempts that brought it here",
      params: letterParams,
      answers: { 200: { description: "The letter", schema: letterSchema.extend({ attempts: z.array(attemptSchema) }) } },
    },
    async ({ ctx, params }) => {
      const { attempts, ...letter } = await loadDeadLetter(ctx, params);
      const told = attempts.map(({ dispatchedAt, committedAt, ...attempt }) => ({
        ...attempt,
        dispatchedAt: dispatchedAt.toISOString(),
        committedAt: committedAt?.toISOString() ?? null,
      }));
      return answer({ ...letterJson(letter), attempts: told });
    },
  );
  for (const { word, summary, verb } of ACTS) {
    endpoint(
      app,
      {
        method: "post",
        path: `/dead-letters/{id}/${word}`,
        tag: "Dead letters",
        summary,
        params: letterParams,
        body: z.strictObject({ reason: z.string().max(500).openapi({ description: "Why; it stands in the audit row." }) }),
        answers: { 200: { description: "The letter after it", schema: letterSchema } },
      },
      async ({ ctx, params, body }) => {
        await verb(ctx, { ...params, ...body });
        return answer(letterJson(await loadDeadLetter(ctx, params)));
      },
    );
  }
}
