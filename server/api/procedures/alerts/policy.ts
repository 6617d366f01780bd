import { alertsOfSchema } from "@/server/engine/alerts/list-alerts";
import { loadPolicy } from "@/server/engine/alerts/policy";
import { permitted } from "../../trpc";

export const policy = permitted("project.read")
  .input(alertsOfSchema)
  .query(({ ctx, input }) => loadPolicy(ctx, input));
