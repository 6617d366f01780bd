import { alertsOfSchema, listRetrying } from "@/server/engine/alerts/list-alerts";
import { permitted } from "../../trpc";

export const retrying = permitted("project.read")
  .input(alertsOfSchema)
  .query(({ ctx, input }) => listRetrying(ctx, input));
