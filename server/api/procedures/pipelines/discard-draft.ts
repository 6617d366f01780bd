import { discardDraft, discardDraftSchema } from "@/server/engine/pipelines/discard-draft";
import { permitted } from "../../trpc";

export const discardDraftProcedure = permitted("pipeline.edit")
  .input(discardDraftSchema)
  .mutation(({ ctx, input }) => discardDraft(ctx, input));
