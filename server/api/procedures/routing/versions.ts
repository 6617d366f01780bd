import { listRoutingVersions, routingHistorySchema } from "@/server/engine/routing/load-routing-table";
import { permitted } from "../../trpc";

export const versions = permitted("project.read")
  .input(routingHistorySchema)
  .query(({ ctx, input }) => listRoutingVersions(ctx, input));
