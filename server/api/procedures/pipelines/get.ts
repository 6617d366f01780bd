import { pipelinePlaceSchema } from "@/server/engine/pipelines/load-draft";
import { loadPipeline } from "@/server/engine/pipelines/load-pipeline";
import { permitted } from "../../trpc";

export const get = permitted("project.read")
  .input(pipelinePlaceSchema)
  .query(({ ctx, input }) => loadPipeline(ctx, input));
