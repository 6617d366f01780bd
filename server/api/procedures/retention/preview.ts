import { previewRetention, previewRetentionSchema } from "@/server/engine/retention/load-retention";
import { permitted } from "../../trpc";

export const preview = permitted("administrator")
  .input(previewRetentionSchema)
  .query(({ ctx, input }) => previewRetention(ctx, input));
