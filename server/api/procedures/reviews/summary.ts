import { reviewFilterSchema, summariseReviews } from "@/server/engine/reviews/list-reviews";
import { permitted } from "../../trpc";

export const summary = permitted("project.read")
  .input(reviewFilterSchema.pick({ projectId: true }))
  .query(({ ctx, input }) => summariseReviews(ctx, input));
