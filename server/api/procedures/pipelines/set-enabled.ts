import { setEnabledSchema, setPipelineEnabled } from "@/server/engine/pipelines/set-enabled";
import { permitted } from "../../trpc";

export const setEnabled = permitted("schedule.toggle")
  .input(setEnabledSchema)
  .mutation(({ ctx, input }) => setPipelineEnabled(ctx, input));
