import { z } from "@hono/zod-openapi";
import { textSchema } from "@/server/domain/pipeline/definition";
import { ROUTE_ACTIONS } from "@/server/domain/routing/route";
import { rulesSchema } from "@/server/domain/routing/rule";
import { listRoutingVersions, loadRoutingTable, type RoutingVersion } from "@/server/engine/routing/load-routing-table";
import { saveRoutingTable } from "@/server/engine/routing/save-routing-table";
import { SIMULATED_DAYS, simulateRouting } from "@/server/engine/routing/simulate-routing";
import { answer, endpoint, type RestApp } from "./endpoint";
import { cursorQuery, limitQuery, projectOf, projectParams } from "./inputs";
import { pageJson, pageSchema } from "./views";

const ruleList = z.array(z.record(z.string(), z.unknown())).openapi({
  description:
    "In order, the first that fits decides: `name`, `pattern`, `action`, and optionally `pipeline`, `label`, `taskClass`, `delays`.",
});

const tableSchema = z
  .object({
    version: z.int().openapi({ description: "0 while the shipped rules are in force." }),
    rules: ruleList,
    note: z.string(),
    savedBy: z.string().nullable(),
    savedAt: z.iso.datetime().nullable(),
  })
  .openapi("RoutingTable");

const destination = z.enum([...ROUTE_ACTIONS, "policy"]);
const simulationSchema = z
  .object({
    since: z.iso.datetime(),
    total: z.int().openapi({ description: "Failures that were looked at." }),
    isPartial: z.boolean().openapi({ description: "There were more than were looked at." }),
    matched: z.array(z.int()).openapi({ description: "By rule, in their order." }),
    unmatched: z.int(),
    rerouted: z.array(
      z.object({ from: destination, to: destination, count: z.int(), codes: z.array(z.object({ code: z.string(), count: z.int() })) }),
    ),
  })
  .openapi("RoutingSimulation");

const tableJson = ({ savedAt, rules, ...table }: RoutingVersion) => ({
  ...table,
  rules: rules.map((rule) => ({ ...rule })),
  savedAt: savedAt?.toISOString() ?? null,
});

export function routingEndpoints(app: RestApp): void {
  const tag = "Routing";
  const path = "/projects/{project}/routing";
  endpoint(
    app,
    {
      ...{ method: "get", path, tag, summary: "Where failures go: the live rules", params: projectParams },
      answers: { 200: { description: "The live table", schema: tableSchema } },
    },
    async ({ ctx, params }) => {
      const { id } = await projectOf(ctx, params.project, "project.read");
      return answer(tableJson(await loadRoutingTable(ctx, { projectId: id })));
    },
  );
  endpoint(
    app,
    {
      ...{ method: "put", path, tag, summary: "Replace the rules by a new version", params: projectParams },
      description: "In force everywhere within a few seconds. Refused when another version has been saved since.",
      body: z.strictObject({ version: z.int().min(0), rules: rulesSchema, note: textSchema(500).optional() }),
      answers: { 200: { description: "The number of the new version", schema: z.object({ version: z.int() }) } },
    },
    async ({ ctx, params, body }) => {
      const { id } = await projectOf(ctx, params.project, "routing.manage");
      return answer(await saveRoutingTable(ctx, { projectId: id, ...body }));
    },
  );
  endpoint(
    app,
    {
      ...{ method: "get", path: `${path}/versions`, tag, summary: "Every table that has been live, newest first", params: projectParams },
      query: z.strictObject({ cursor: cursorQuery, limit: limitQuery }),
      answers: { 200: { description: "One page", schema: pageSchema(tableSchema) } },
    },
    async ({ ctx, params, query: { cursor, limit } }) => {
      const { id } = await projectOf(ctx, params.project, "project.read");
      return answer(pageJson(await listRoutingVersions(ctx, { projectId: id, limit, cursor }), tableJson));
    },
  );
  endpoint(
    app,
    {
      ...{ method: "post", path: `${path}/simulate`, tag, summary: `What other rules would have done in the last ${SIMULATED_DAYS} days` },
      params: projectParams,
      body: z.strictObject({ rules: rulesSchema.optional() }),
      answers: { 200: { description: "Who would have gone elsewhere; nothing is changed", schema: simulationSchema } },
    },
    async ({ ctx, params, body }) => {
      const { id } = await projectOf(ctx, params.project, "project.read");
      const { since, ...simulation } = await simulateRouting(ctx, { projectId: id, rules: body.rules });
      return answer({ ...simulation, since: since.toISOString() });
    },
  );
}
