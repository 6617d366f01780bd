import { resendEvent, webhookDeliveryPlaceSchema } from "@/server/engine/webhooks/test-webhook";
import { permitted } from "../../trpc";

export const resend = permitted("webhook.manage")
  .input(webhookDeliveryPlaceSchema)
  .mutation(({ ctx, input }) => resendEvent(ctx, input));
