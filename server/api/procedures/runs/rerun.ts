import { runInterventionSchema } from "@/server/engine/runs/intervention";
import { rerunRun } from "@/server/engine/runs/rerun-run";
import { permitted } from "../../trpc";

export const rerun = permitted("run.intervene")
  .input(runInterventionSchema)
  .mutation(({ ctx, input }) => rerunRun(ctx, input));
