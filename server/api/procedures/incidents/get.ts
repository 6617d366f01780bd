import { incidentPlaceSchema } from "@/server/engine/incidents/incident-row";
import { loadIncident } from "@/server/engine/incidents/load-incident";
import { permitted } from "../../trpc";

export const get = permitted("project.read")
  .input(incidentPlaceSchema)
  .query(({ ctx, input }) => loadIncident(ctx, input));
