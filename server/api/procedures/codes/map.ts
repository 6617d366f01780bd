import { mapCode, mapCodeSchema } from "@/server/engine/codes/map-code";
import { permitted } from "../../trpc";

export const map = permitted("code.review")
  .input(mapCodeSchema)
  .mutation(({ ctx, input }) => mapCode(ctx, input));
