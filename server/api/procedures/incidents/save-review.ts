import { saveIncidentReview, saveIncidentReviewSchema } from "@/server/engine/incidents/save-review";
import { permitted } from "../../trpc";

export const saveReview = permitted("incident.handle")
  .input(saveIncidentReviewSchema)
  .mutation(({ ctx, input }) => saveIncidentReview(ctx, input));
