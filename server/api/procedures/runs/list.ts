import { listRuns, runFilterSchema } from "@/server/engine/runs/list-runs";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(runFilterSchema)
  .query(({ ctx, input }) => listRuns(ctx, input));
