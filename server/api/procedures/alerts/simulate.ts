import { simulateAlerts, simulateAlertsSchema } from "@/server/engine/alerts/simulate-alerts";
import { permitted } from "../../trpc";

export const simulate = permitted("project.read")
  .input(simulateAlertsSchema)
  .query(({ ctx, input }) => simulateAlerts(ctx, input));
