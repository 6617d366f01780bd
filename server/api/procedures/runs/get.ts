import { z } from "zod";
import { loadRun } from "@/server/engine/runs/load-run";
import { permitted } from "../../trpc";

export const get = permitted("project.read")
  .input(z.strictObject({ runId: z.uuid() }))
  .query(({ ctx, input }) => loadRun(ctx, input.runId));
