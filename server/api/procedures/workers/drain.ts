import { drainWorker, drainWorkerSchema } from "@/server/engine/workers/drain-worker";
import { permitted } from "../../trpc";

export const drain = permitted("administrator")
  .input(drainWorkerSchema)
  .mutation(({ ctx, input }) => drainWorker(ctx, input));
