import { listWebhookDeliveries, webhookDeliveriesSchema } from "@/server/engine/webhooks/list-webhooks";
import { permitted } from "../../trpc";

export const deliveries = permitted("project.read")
  .input(webhookDeliveriesSchema)
  .query(({ ctx, input }) => listWebhookDeliveries(ctx, input));
