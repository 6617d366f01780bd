import { loadLogs, logWindowSchema } from "@/server/engine/runs/load-logs";
import { permitted } from "../../trpc";

export const logs = permitted("project.read")
  .input(logWindowSchema)
  .query(({ ctx, input }) => loadLogs(ctx, input));
