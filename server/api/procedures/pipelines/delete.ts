import { deletePipeline, deletePipelineSchema } from "@/server/engine/pipelines/delete-pipeline";
import { permitted } from "../../trpc";

export const remove = permitted("pipeline.publish")
  .input(deletePipelineSchema)
  .mutation(({ ctx, input }) => deletePipeline(ctx, input));
