import { saveRoutingSchema, saveRoutingTable } from "@/server/engine/routing/save-routing-table";
import { permitted } from "../../trpc";

export const save = permitted("routing.manage")
  .input(saveRoutingSchema)
  .mutation(({ ctx, input }) => saveRoutingTable(ctx, input));
