import { closeValve, closeValveSchema } from "@/server/engine/valves/close-valve";
import { permitted } from "../../trpc";

export const close = permitted("valve.manage")
  .input(closeValveSchema)
  .mutation(({ ctx, input }) => closeValve(ctx, input));
