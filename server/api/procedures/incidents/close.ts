import { closeIncident } from "@/server/engine/incidents/act-on-incident";
import { incidentAsSeenSchema } from "@/server/engine/incidents/incident-row";
import { permitted } from "../../trpc";

export const close = permitted("incident.close")
  .input(incidentAsSeenSchema)
  .mutation(({ ctx, input }) => closeIncident(ctx, input));
