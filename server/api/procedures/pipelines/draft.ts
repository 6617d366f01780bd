import { loadDraft, pipelinePlaceSchema } from "@/server/engine/pipelines/load-draft";
import { permitted } from "../../trpc";

export const draft = permitted("project.read")
  .input(pipelinePlaceSchema)
  .query(({ ctx, input }) => loadDraft(ctx, input));
