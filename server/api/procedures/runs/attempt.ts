import { attemptPlaceSchema, loadAttempt } from "@/server/engine/runs/load-attempt";
import { permitted } from "../../trpc";

export const attempt = permitted("project.read")
  .input(attemptPlaceSchema)
  .query(({ ctx, input }) => loadAttempt(ctx, input));
