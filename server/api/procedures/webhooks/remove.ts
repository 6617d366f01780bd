import { removeWebhook } from "@/server/engine/webhooks/save-webhook";
import { webhookAsSeenSchema } from "@/server/engine/webhooks/webhook-row";
import { permitted } from "../../trpc";

export const remove = permitted("webhook.manage")
  .input(webhookAsSeenSchema)
  .mutation(({ ctx, input }) => removeWebhook(ctx, input));
