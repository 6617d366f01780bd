import { nodeInterventionSchema } from "@/server/engine/runs/intervention";
import { retryNode } from "@/server/engine/runs/retry-node";
import { permitted } from "../../trpc";

export const retry = permitted("run.intervene")
  .input(nodeInterventionSchema)
  .mutation(({ ctx, input }) => retryNode(ctx, input));
