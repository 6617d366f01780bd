import { stopRelease as stopReleaseOf, stopReleaseSchema } from "@/server/engine/valves/change-valve";
import { permitted } from "../../trpc";

export const stopRelease = permitted("valve.manage")
  .input(stopReleaseSchema)
  .mutation(({ ctx, input }) => stopReleaseOf(ctx, input));
