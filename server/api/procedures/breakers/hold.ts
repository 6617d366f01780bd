import { breakerByHandSchema } from "@/server/engine/breaker/change-by-hand";
import { holdWorker } from "@/server/engine/breaker/hold-worker";
import { permitted } from "../../trpc";

export const hold = permitted("administrator")
  .input(breakerByHandSchema)
  .mutation(({ ctx, input }) => holdWorker(ctx, input));
