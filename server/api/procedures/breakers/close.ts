import { breakerByHandSchema } from "@/server/engine/breaker/change-by-hand";
import { closeBreaker } from "@/server/engine/breaker/close-breaker";
import { permitted } from "../../trpc";

export const close = permitted("administrator")
  .input(breakerByHandSchema)
  .mutation(({ ctx, input }) => closeBreaker(ctx, input));
