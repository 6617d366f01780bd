import { runInterventionSchema } from "@/server/engine/runs/intervention";
import { resumeRun } from "@/server/engine/runs/resume-run";
import { permitted } from "../../trpc";

export const resume = permitted("run.intervene")
  .input(runInterventionSchema)
  .mutation(({ ctx, input }) => resumeRun(ctx, input));
