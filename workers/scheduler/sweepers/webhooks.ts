import { fanOut } from "@/server/engine/webhooks/fan-out";
import { sendEvents } from "@/server/engine/webhooks/send-events";
import type { LeaderDuty, LeaderTools } from "../wheel-loop";

const WEBHOOK_DELIVERIES = "webhook-deliveries";

/** Puts what was committed into the outbox of each subscriber outside. */
export const webhookEvents = ({ kick }: LeaderTools): LeaderDuty => ({
  name: "webhook-events",
  everyMs: 1_000,
  tellsOnly: true,
  run: async (ctx, fence) => {
    const filled = await fanOut(ctx, fence);
    if (filled.count > 0) kick(WEBHOOK_DELIVERIES);
    return filled;
  },
});

/** Sends what the outboxes of subscribers hold. */
export const webhookDeliveries: LeaderDuty = { name: WEBHOOK_DELIVERIES, everyMs: 1_000, tellsOnly: true, run: sendEvents };
