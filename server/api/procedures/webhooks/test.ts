import { testWebhook } from "@/server/engine/webhooks/test-webhook";
import { webhookPlaceSchema } from "@/server/engine/webhooks/webhook-row";
import { permitted } from "../../trpc";

export const test = permitted("webhook.manage")
  .input(webhookPlaceSchema)
  .mutation(({ ctx, input }) => testWebhook(ctx, input));
