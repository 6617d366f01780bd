import { listReviews, reviewFilterSchema } from "@/server/engine/reviews/list-reviews";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(reviewFilterSchema)
  .query(({ ctx, input }) => listReviews(ctx, input));
