import { savePolicy, savePolicySchema } from "@/server/engine/alerts/policy";
import { permitted } from "../../trpc";

export const savePolicyProcedure = permitted("alert.configure")
  .input(savePolicySchema)
  .mutation(({ ctx, input }) => savePolicy(ctx, input));
