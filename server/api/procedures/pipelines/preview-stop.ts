import { pipelinePlaceSchema } from "@/server/engine/pipelines/load-draft";
import { previewStop } from "@/server/engine/pipelines/preview-stop";
import { permitted } from "../../trpc";

export const previewStopProcedure = permitted("project.read")
  .input(pipelinePlaceSchema)
  .query(({ ctx, input }) => previewStop(ctx, input));
