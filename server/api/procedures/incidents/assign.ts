import { assignIncident, assignIncidentSchema } from "@/server/engine/incidents/hand-over";
import { permitted } from "../../trpc";

export const assign = permitted("incident.handle")
  .input(assignIncidentSchema)
  .mutation(({ ctx, input }) => assignIncident(ctx, input));
