import { loadRoutingTable, routingPlaceSchema } from "@/server/engine/routing/load-routing-table";
import { permitted } from "../../trpc";

export const get = permitted("project.read")
  .input(routingPlaceSchema)
  .query(({ ctx, input }) => loadRoutingTable(ctx, input));
