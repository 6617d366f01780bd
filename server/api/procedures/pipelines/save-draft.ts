import { saveDraft, saveDraftSchema } from "@/server/engine/pipelines/save-draft";
import { permitted } from "../../trpc";

export const saveDraftProcedure = permitted("pipeline.edit")
  .input(saveDraftSchema)
  .mutation(({ ctx, input }) => saveDraft(ctx, input));
