import { retireCodeSchema, withdrawCode } from "@/server/engine/codes/retire-code";
import { permitted } from "../../trpc";

export const withdraw = permitted("code.review")
  .input(retireCodeSchema)
  .mutation(({ ctx, input }) => withdrawCode(ctx, input));
