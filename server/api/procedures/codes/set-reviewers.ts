import { setReviewers, setReviewersSchema } from "@/server/engine/codes/set-reviewers";
import { permitted } from "../../trpc";

export const setReviewersProcedure = permitted("code.settings")
  .input(setReviewersSchema)
  .mutation(({ ctx, input }) => setReviewers(ctx, input));
