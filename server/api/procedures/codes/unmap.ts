import { unmapCode, unmapCodeSchema } from "@/server/engine/codes/map-code";
import { permitted } from "../../trpc";

export const unmap = permitted("code.review")
  .input(unmapCodeSchema)
  .mutation(({ ctx, input }) => unmapCode(ctx, input));
