import { z } from "@hono/zod-openapi";
import { textSchema } from "@/server/domain/pipeline/definition";
import { rateSchema, VALVE_KINDS, VALVE_STATES, valveTargetSchema } from "@/server/domain/valve/valve";
import { releaseValve, stopRelease } from "@/server/engine/valves/change-valve";
import { closeValve } from "@/server/engine/valves/close-valve";
import { listValves } from "@/server/engine/valves/list-valves";
import type { ValveView } from "@/server/engine/valves/valve-row";
import { answer, endpoint, type RestApp } from "./endpoint";
import { cursorQuery, limitQuery, projectOf, projectParams } from "./inputs";
import { pageJson, pageSchema } from "./views";

const instant = z.iso.datetime();
const valveSchema = z
  .object({
    no: z.int(),
    kind: z.enum(VALVE_KINDS),
    pipeline: z.string().nullable(),
    target: z.string(),
    state: z.enum(VALVE_STATES),
    reason: z.string(),
    deferring: z.boolean().openapi({ description: "The engine closed it since the task fails too often, and ends it by recovery." }),
    by: z.string(),
    since: instant,
    endedAt: instant.nullable(),
    held: z.int().openapi({ description: "Nodes that it holds now." }),
    released: z.int(),
    purged: z.int().openapi({ description: "Queue messages that waited for what it holds, and were taken out." }),
    rate: z.int().nullable().openapi({ description: "Nodes a minute, while it is being released." }),
    revision: z.int(),
  })
  .openapi("StopValve");

const valveJson = ({ pipeline, label: _, since, endedAt, ...valve }: ValveView): z.input<typeof valveSchema> => ({
  ...valve,
  pipeline: pipeline?.name ?? null,
  since: since.toISOString(),
  endedAt: endedAt?.toISOString() ?? null,
});

const reason = textSchema(500).meta({ description: "Why; it stands in the audit." });
const valveParams = z.strictObject({ project: z.string(), no: z.coerce.number().int().min(1) });
const change = z.strictObject({ reason, revision: z.int().min(1).optional() });

export function valveEndpoints(app: RestApp): void {
  const tag = "Stop valves";
  const one = { 200: { description: "The valve", schema: valveSchema } };
  endpoint(
    app,
    {
      ...{
        method: "get",
        path: "/projects/{project}/valves",
        tag,
        summary: "Stop valves of the project and of worker groups, the newest first",
      },
      params: projectParams,
      query: z.strictObject({ show: z.enum(["open", "ended"]).default("open"), cursor: cursorQuery, limit: limitQuery }),
      answers: { 200: { description: "One page", schema: pageSchema(valveSchema) } },
    },
    async ({ ctx, params, query: { cursor, ...query } }) => {
      const { id } = await projectOf(ctx, params.project, "project.read");
      return answer(pageJson(await listValves(ctx, { projectId: id, ...query, ...(cursor ? { cursor: Number(cursor) } : {}) }), valveJson));
    },
  );
  endpoint(
    app,
    {
      ...{ method: "post", path: "/projects/{project}/valves", tag, summary: "Stop one node, a task or a worker group everywhere at once" },
      description:
        "When it answers, nothing of what it names starts until it is released; what runs goes on. A group is an administrator's.",
      params: projectParams,
      body: z.strictObject({ target: valveTargetSchema, reason }),
      answers: one,
    },
    async ({ ctx, params, body }) => {
      const { id } = await projectOf(ctx, params.project, "valve.manage");
      return answer(valveJson(await closeValve(ctx, { projectId: id, ...body })));
    },
  );
  endpoint(
    app,
    {
      ...{
        method: "post",
        path: "/projects/{project}/valves/{no}/release",
        tag,
        summary: "Let what a valve holds go, so many nodes a minute",
      },
      params: valveParams,
      body: change.extend({ rate: rateSchema }),
      answers: one,
    },
    async ({ ctx, params, body }) => {
      await projectOf(ctx, params.project, "valve.manage");
      return answer(valveJson(await releaseValve(ctx, { no: params.no, ...body })));
    },
  );
  endpoint(
    app,
    {
      ...{ method: "post", path: "/projects/{project}/valves/{no}/stop", tag, summary: "Stop a release: what is still held stays so" },
      params: valveParams,
      body: change,
      answers: one,
    },
    async ({ ctx, params, body }) => {
      await projectOf(ctx, params.project, "valve.manage");
      return answer(valveJson(await stopRelease(ctx, { no: params.no, ...body })));
    },
  );
}
