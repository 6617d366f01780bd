import { incidentFilterSchema, listIncidents } from "@/server/engine/incidents/list-incidents";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(incidentFilterSchema)
  .query(({ ctx, input }) => listIncidents(ctx, input));
