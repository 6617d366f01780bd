import { incidentWithReasonSchema, reopenIncident } from "@/server/engine/incidents/act-on-incident";
import { permitted } from "../../trpc";

export const reopen = permitted("incident.handle")
  .input(incidentWithReasonSchema)
  .mutation(({ ctx, input }) => reopenIncident(ctx, input));
