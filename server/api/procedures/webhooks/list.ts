import { listWebhooks, webhooksOfSchema } from "@/server/engine/webhooks/list-webhooks";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(webhooksOfSchema)
  .query(({ ctx, input }) => listWebhooks(ctx, input));
