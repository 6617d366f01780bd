import { incidentWithReasonSchema, resolveIncident } from "@/server/engine/incidents/act-on-incident";
import { permitted } from "../../trpc";

export const resolve = permitted("incident.handle")
  .input(incidentWithReasonSchema)
  .mutation(({ ctx, input }) => resolveIncident(ctx, input));
