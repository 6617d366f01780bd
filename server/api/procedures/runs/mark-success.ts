import { markSuccess, markSuccessSchema } from "@/server/engine/runs/mark-success";
import { permitted } from "../../trpc";

export const markSuccessProcedure = permitted("run.intervene")
  .input(markSuccessSchema)
  .mutation(({ ctx, input }) => markSuccess(ctx, input));
