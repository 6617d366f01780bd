import { exportReview } from "@/server/engine/incidents/export-review";
import { incidentPlaceSchema } from "@/server/engine/incidents/incident-row";
import { permitted } from "../../trpc";

export const markdown = permitted("project.read")
  .input(incidentPlaceSchema)
  .query(({ ctx, input }) => exportReview(ctx, input));
