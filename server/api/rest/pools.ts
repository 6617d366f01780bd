import { z } from "@hono/zod-openapi";
import { groupSchema, textSchema } from "@/server/domain/pipeline/definition";
import { MAX_SLOTS, slotsSchema } from "@/server/domain/pool/limit";
import { deletePool } from "@/server/engine/pools/delete-pool";
import { listPools, type PoolView } from "@/server/engine/pools/list-pools";
import { savePool } from "@/server/engine/pools/save-pool";
import { answer, endpoint, type RestApp } from "./endpoint";
import { projectOf, projectParam, projectParams } from "./inputs";

const poolSchema = z
  .object({
    name: z.string(),
    slots: z.int().nullable().openapi({ description: "Null where nodes name it and it is not there: they wait until it is made." }),
    description: z.string(),
    taken: z.int().openapi({ description: "More than `slots` for a while after it was lowered below what ran." }),
    waiting: z.int().openapi({ description: "Nodes that are ready but for a slot." }),
    pipelines: z.array(z.string()).openapi({ description: "Whose live version names it." }),
    revision: z.int(),
  })
  .openapi("Pool");

const poolJson = ({ name, slots, description, taken, waiting, pipelines, revision }: PoolView) => ({
  ...{ name, slots, description, taken, waiting, pipelines, revision },
});

const poolParams = z.strictObject({
  project: projectParam,
  name: groupSchema.meta({ description: "Name of the pool, as `pool` of a node names it.", example: "warehouse-loads" }),
});

export function poolEndpoints(app: RestApp): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/projects/{project}/pools",
      tag: "Pools",
      summary: "Shared resources, with how much of them is taken and what waits",
      params: projectParams,
      answers: { 200: { description: "All of them by name", schema: z.object({ items: z.array(poolSchema) }) } },
    },
    async ({ ctx, params }) => {
      const { id } = await projectOf(ctx, params.project, "project.read");
      return answer({ items: (await listPools(ctx, id)).map(poolJson) });
    },
  );
  endpoint(
    app,
    {
      method: "put",
      path: "/projects/{project}/pools/{name}",
      tag: "Pools",
      summary: "Make a pool, or change its number of slots",
      description: "With fewer slots, what runs goes on, and nothing starts until less than the new number runs.",
      params: poolParams,
      body: z.strictObject({
        slots: slotsSchema.meta({ description: `How many nodes that name it run at a time, at most ${MAX_SLOTS}.` }),
        description: textSchema(500).optional(),
        revision: z
          .int()
          .min(0)
          .optional()
          .openapi({ description: "Of the pool that was looked at, 0 for none; refused when it has changed." }),
      }),
      answers: { 200: { description: "As it is now", schema: poolSchema.pick({ name: true, slots: true, revision: true }) } },
    },
    async ({ ctx, params, body }) => {
      const { id } = await projectOf(ctx, params.project, "pool.manage");
      return answer(await savePool(ctx, { projectId: id, name: params.name, ...body }));
    },
  );
  endpoint(
    app,
    {
      method: "delete",
      path: "/projects/{project}/pools/{name}",
      tag: "Pools",
      summary: "Delete a pool that nothing uses",
      description: "Refused while a live version names it, or a node of a run that has not ended.",
      params: poolParams,
      body: z.strictObject({ reason: textSchema(500).min(1) }),
      answers: { 204: { description: "Deleted" } },
    },
    async ({ ctx, params, body }) => {
      const { id } = await projectOf(ctx, params.project, "pool.manage");
      await deletePool(ctx, { projectId: id, name: params.name, reason: body.reason });
      return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
    },
  );
}
