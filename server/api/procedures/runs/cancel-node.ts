import { cancelNode } from "@/server/engine/runs/cancel-node";
import { nodeInterventionSchema } from "@/server/engine/runs/intervention";
import { permitted } from "../../trpc";

export const cancelNodeProcedure = permitted("run.intervene")
  .input(nodeInterventionSchema)
  .mutation(({ ctx, input }) => cancelNode(ctx, input));
