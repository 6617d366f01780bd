import { renamePipeline, renamePipelineSchema } from "@/server/engine/pipelines/rename-pipeline";
import { permitted } from "../../trpc";

export const rename = permitted("pipeline.publish")
  .input(renamePipelineSchema)
  .mutation(({ ctx, input }) => renamePipeline(ctx, input));
