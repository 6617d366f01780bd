import { acknowledgeIncident } from "@/server/engine/incidents/act-on-incident";
import { incidentAsSeenSchema } from "@/server/engine/incidents/incident-row";
import { permitted } from "../../trpc";

export const acknowledge = permitted("incident.handle")
  .input(incidentAsSeenSchema)
  .mutation(({ ctx, input }) => acknowledgeIncident(ctx, input));
