import { simulateRouting, simulateRoutingSchema } from "@/server/engine/routing/simulate-routing";
import { permitted } from "../../trpc";

export const simulate = permitted("project.read")
  .input(simulateRoutingSchema)
  .query(({ ctx, input }) => simulateRouting(ctx, input));
