import { proposeCode, proposeCodeSchema } from "@/server/engine/codes/propose-code";
import { permitted } from "../../trpc";

export const propose = permitted("code.propose")
  .input(proposeCodeSchema)
  .mutation(({ ctx, input }) => proposeCode(ctx, input));
