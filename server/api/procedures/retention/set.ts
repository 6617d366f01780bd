import { setRetention, setRetentionSchema } from "@/server/engine/retention/retention-settings";
import { permitted } from "../../trpc";

export const set = permitted("administrator")
  .input(setRetentionSchema)
  .mutation(({ ctx, input }) => setRetention(ctx, input));
