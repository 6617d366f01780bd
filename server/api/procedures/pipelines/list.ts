import { listPipelines, listPipelinesSchema } from "@/server/engine/pipelines/list-pipelines";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(listPipelinesSchema)
  .query(({ ctx, input }) => listPipelines(ctx, input));
