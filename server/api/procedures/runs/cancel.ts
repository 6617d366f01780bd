import { cancelRun } from "@/server/engine/runs/cancel-run";
import { runInterventionSchema } from "@/server/engine/runs/intervention";
import { permitted } from "../../trpc";

export const cancel = permitted("run.intervene")
  .input(runInterventionSchema)
  .mutation(({ ctx, input }) => cancelRun(ctx, input));
