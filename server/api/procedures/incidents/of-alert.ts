import { incidentOfAlert, incidentOfAlertSchema } from "@/server/engine/incidents/incident-of-alert";
import { permitted } from "../../trpc";

export const ofAlert = permitted("project.read")
  .input(incidentOfAlertSchema)
  .query(({ ctx, input }) => incidentOfAlert(ctx, input));
