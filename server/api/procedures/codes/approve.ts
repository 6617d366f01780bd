import { approveCode, approveCodeSchema } from "@/server/engine/codes/approve-code";
import { permitted } from "../../trpc";

export const approve = permitted("code.review")
  .input(approveCodeSchema)
  .mutation(({ ctx, input }) => approveCode(ctx, input));
