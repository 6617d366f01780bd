import { deprecateCode, retireCodeSchema } from "@/server/engine/codes/retire-code";
import { permitted } from "../../trpc";

export const deprecate = permitted("code.review")
  .input(retireCodeSchema)
  .mutation(({ ctx, input }) => deprecateCode(ctx, input));
