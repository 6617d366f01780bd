import { changeCode, changeCodeSchema } from "@/server/engine/codes/change-code";
import { permitted } from "../../trpc";

export const change = permitted("code.review")
  .input(changeCodeSchema)
  .mutation(({ ctx, input }) => changeCode(ctx, input));
