import { releaseValve, releaseValveSchema } from "@/server/engine/valves/change-valve";
import { permitted } from "../../trpc";

export const release = permitted("valve.manage")
  .input(releaseValveSchema)
  .mutation(({ ctx, input }) => releaseValve(ctx, input));
