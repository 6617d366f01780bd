import { deliveryFilterSchema, listDeliveries } from "@/server/engine/channels/list-channels";
import { permitted } from "../../trpc";

export const deliveries = permitted("project.read")
  .input(deliveryFilterSchema)
  .query(({ ctx, input }) => listDeliveries(ctx, input));
