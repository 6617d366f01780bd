import { breakerByHandSchema } from "@/server/engine/breaker/change-by-hand";
import { releaseHold } from "@/server/engine/breaker/release-hold";
import { permitted } from "../../trpc";

export const release = permitted("administrator")
  .input(breakerByHandSchema)
  .mutation(({ ctx, input }) => releaseHold(ctx, input));
