import { createWebhook, createWebhookSchema } from "@/server/engine/webhooks/save-webhook";
import { permitted } from "../../trpc";

export const create = permitted("webhook.manage")
  .input(createWebhookSchema)
  .mutation(({ ctx, input }) => createWebhook(ctx, input));
