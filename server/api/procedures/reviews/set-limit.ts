import { setReviewSla, setReviewSlaSchema } from "@/server/engine/reviews/review-settings";
import { permitted } from "../../trpc";

export const setLimit = permitted("routing.manage")
  .input(setReviewSlaSchema)
  .mutation(({ ctx, input }) => setReviewSla(ctx, input));
