import { setBound as setBoundOf, setBoundSchema } from "@/server/engine/valves/failure-bound";
import { permitted } from "../../trpc";

export const setBound = permitted("routing.manage")
  .input(setBoundSchema)
  .mutation(({ ctx, input }) => setBoundOf(ctx, input));
