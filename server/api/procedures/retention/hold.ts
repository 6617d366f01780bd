import { holdRetention, holdRetentionSchema } from "@/server/engine/retention/retention-settings";
import { permitted } from "../../trpc";

export const hold = permitted("administrator")
  .input(holdRetentionSchema)
  .mutation(({ ctx, input }) => holdRetention(ctx, input));
