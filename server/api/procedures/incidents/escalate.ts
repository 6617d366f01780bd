import { escalateIncident, escalateIncidentSchema } from "@/server/engine/incidents/hand-over";
import { permitted } from "../../trpc";

export const escalate = permitted("incident.handle")
  .input(escalateIncidentSchema)
  .mutation(({ ctx, input }) => escalateIncident(ctx, input));
