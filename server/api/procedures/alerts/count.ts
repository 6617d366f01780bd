import { alertsOfSchema, countAlerts } from "@/server/engine/alerts/list-alerts";
import { permitted } from "../../trpc";

export const count = permitted("project.read")
  .input(alertsOfSchema)
  .query(({ ctx, input }) => countAlerts(ctx, input));
