import { completeAction, completeActionSchema } from "@/server/engine/incidents/complete-action";
import { permitted } from "../../trpc";

export const completeActionProcedure = permitted("incident.handle")
  .input(completeActionSchema)
  .mutation(({ ctx, input }) => completeAction(ctx, input));
