import { rotateSecret } from "@/server/engine/webhooks/rotate-secret";
import { webhookAsSeenSchema } from "@/server/engine/webhooks/webhook-row";
import { permitted } from "../../trpc";

export const rotate = permitted("webhook.manage")
  .input(webhookAsSeenSchema)
  .mutation(({ ctx, input }) => rotateSecret(ctx, input));
