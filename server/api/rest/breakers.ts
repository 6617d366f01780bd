import { z } from "@hono/zod-openapi";
import { BREAKER_STATES, takesNone } from "@/server/domain/breaker/breaker";
import { type BreakerView, listBreakers } from "@/server/engine/breaker/list-breakers";
import { BOARD_HOURS, type Board, loadBoard } from "@/server/engine/breaker/load-board";
import { answer, endpoint, type RestApp } from "./endpoint";

const instant = z.iso.datetime();

const breakerSchema = z
  .object({
    workerId: z.string(),
    state: z.enum(BREAKER_STATES),
    takesNodes: z.boolean(),
    since: instant,
    until: instant.nullable().openapi({ description: "When its time out is over; null unless it is open." }),
    nextProbeAt: instant.nullable(),
    probesPassed: z.int().openapi({ description: "In a row; three bring it back." }),
    lastProbe: z.object({ at: instant, ok: z.boolean(), note: z.string() }).nullable(),
    why: z
      .object({
        cause: z.enum(["oom", "row", "rule", "person"]),
        rule: z.string().nullable(),
        failures: z.array(z.object({ at: instant, code: z.string().nullable(), runId: z.uuid().nullable(), node: z.string().nullable() })),
        by: z.string().nullable(),
        reason: z.string().nullable(),
      })
      .nullable(),
  })
  .openapi("Breaker");

const breakerJson = (breaker: BreakerView): z.input<typeof breakerSchema> => ({
  workerId: breaker.workerId,
  state: breaker.state,
  takesNodes: !takesNone(breaker.state),
  since: breaker.since.toISOString(),
  until: breaker.until?.toISOString() ?? null,
  nextProbeAt: breaker.nextProbeAt?.toISOString() ?? null,
  probesPassed: breaker.successes,
  lastProbe: breaker.lastProbe && { ...breaker.lastProbe, at: breaker.lastProbe.at.toISOString() },
  why: breaker.why && {
    ...breaker.why,
    failures: breaker.why.failures.map(({ at, code, runId, nodeKey }) => ({ at: at.toISOString(), code, runId, node: nodeKey })),
  },
});

const boardSchema = z
  .object({
    since: instant,
    workers: z.array(z.object({ id: z.string(), isLive: z.boolean() })),
    codes: z.array(z.string()),
    cells: z.array(z.object({ worker: z.string(), code: z.string(), count: z.int() })),
    verdict: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("quiet") }),
      z.object({ kind: z.literal("alone") }),
      z.object({ kind: z.literal("apart") }),
      z.object({
        kind: z.literal("told"),
        blames: z.array(
          z.discriminatedUnion("kind", [
            z.object({ kind: z.literal("job"), code: z.string(), workers: z.int(), count: z.int() }),
            z.object({ kind: z.literal("worker"), worker: z.string(), codes: z.int(), count: z.int() }),
          ]),
        ),
      }),
    ]),
    codesLeftOut: z.int(),
  })
  .openapi("WorkerBoard");

const boardJson = ({ since, workers, codes, cells, verdict, codesLeftOut }: Board): z.input<typeof boardSchema> => ({
  ...{ since: since.toISOString(), workers: [...workers], codes: [...codes], cells: [...cells], codesLeftOut },
  verdict: verdict.kind === "told" ? { kind: "told", blames: [...verdict.blames] } : verdict,
});

const HOURS = BOARD_HOURS.map(String) as ["1", "6", "24"];

export function breakerEndpoints(app: RestApp): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/workers/breakers",
      tag: "Workers",
      summary: "Workers that take no node: by their breaker, or held by a person",
      description: "Held, released and closed by an administrator on the Workers screen; a service token belongs to one project.",
      answers: { 200: { description: "All of them by name", schema: z.object({ items: z.array(breakerSchema) }) } },
    },
    async ({ ctx }) => answer({ items: (await listBreakers(ctx)).map(breakerJson) }),
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/workers/board",
      tag: "Workers",
      summary: "Failures by worker and code, and whether the job or the worker is to blame",
      query: z.strictObject({ hours: z.enum(HOURS).default("6").openapi({ description: "How far back it counts." }) }),
      answers: { 200: { description: "The board, over the token's project", schema: boardSchema } },
    },
    async ({ ctx, query }) => answer(boardJson(await loadBoard(ctx, { hours: Number(query.hours) as (typeof BOARD_HOURS)[number] }))),
  );
}
