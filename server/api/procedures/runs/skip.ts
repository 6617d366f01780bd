import { nodeInterventionSchema } from "@/server/engine/runs/intervention";
import { skipNode } from "@/server/engine/runs/skip-node";
import { permitted } from "../../trpc";

export const skip = permitted("run.intervene")
  .input(nodeInterventionSchema)
  .mutation(({ ctx, input }) => skipNode(ctx, input));
