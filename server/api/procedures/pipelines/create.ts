import { createPipeline, createPipelineSchema } from "@/server/engine/pipelines/create-pipeline";
import { permitted } from "../../trpc";

export const create = permitted("pipeline.edit")
  .input(createPipelineSchema)
  .mutation(({ ctx, input }) => createPipeline(ctx, input));
