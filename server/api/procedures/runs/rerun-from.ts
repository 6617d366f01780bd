import { nodeInterventionSchema } from "@/server/engine/runs/intervention";
import { rerunFrom } from "@/server/engine/runs/rerun-from";
import { permitted } from "../../trpc";

export const rerunFromProcedure = permitted("run.intervene")
  .input(nodeInterventionSchema)
  .mutation(({ ctx, input }) => rerunFrom(ctx, input));
