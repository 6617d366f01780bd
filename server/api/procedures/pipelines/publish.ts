import { publish, publishSchema } from "@/server/engine/pipelines/publish";
import { permitted } from "../../trpc";

export const publishProcedure = permitted("pipeline.publish")
  .input(publishSchema)
  .mutation(({ ctx, input }) => publish(ctx, input));
