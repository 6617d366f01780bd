import { decideReviews, decideReviewsSchema } from "@/server/engine/reviews/decide-reviews";
import { permitted } from "../../trpc";

export const decide = permitted("run.intervene")
  .input(decideReviewsSchema)
  .mutation(({ ctx, input }) => decideReviews(ctx, input));
