import { incidentStats, incidentsOfSchema } from "@/server/engine/incidents/list-incidents";
import { permitted } from "../../trpc";

export const stats = permitted("project.read")
  .input(incidentsOfSchema)
  .query(({ ctx, input }) => incidentStats(ctx, input));
