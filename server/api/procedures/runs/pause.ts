import { runInterventionSchema } from "@/server/engine/runs/intervention";
import { pauseRun } from "@/server/engine/runs/pause-run";
import { permitted } from "../../trpc";

export const pause = permitted("run.intervene")
  .input(runInterventionSchema)
  .mutation(({ ctx, input }) => pauseRun(ctx, input));
