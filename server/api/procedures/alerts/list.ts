import { alertFilterSchema, listAlerts } from "@/server/engine/alerts/list-alerts";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(alertFilterSchema)
  .query(({ ctx, input }) => listAlerts(ctx, input));
