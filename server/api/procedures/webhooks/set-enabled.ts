import { setWebhookEnabled, setWebhookEnabledSchema } from "@/server/engine/webhooks/save-webhook";
import { permitted } from "../../trpc";

export const setEnabled = permitted("webhook.manage")
  .input(setWebhookEnabledSchema)
  .mutation(({ ctx, input }) => setWebhookEnabled(ctx, input));
