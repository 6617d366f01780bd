import { changeWebhook, changeWebhookSchema } from "@/server/engine/webhooks/save-webhook";
import { permitted } from "../../trpc";

export const change = permitted("webhook.manage")
  .input(changeWebhookSchema)
  .mutation(({ ctx, input }) => changeWebhook(ctx, input));
