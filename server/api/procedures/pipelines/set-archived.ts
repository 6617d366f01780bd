import { setArchivedSchema, setPipelineArchived } from "@/server/engine/pipelines/set-archived";
import { permitted } from "../../trpc";

export const setArchived = permitted("pipeline.publish")
  .input(setArchivedSchema)
  .mutation(({ ctx, input }) => setPipelineArchived(ctx, input));
