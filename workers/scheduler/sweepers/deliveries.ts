import { createSender } from "@/server/engine/channels/send-due";
import type { LeaderDuty } from "../wheel-loop";

export const ALERT_DELIVERIES = "alert-deliveries";

/** Sends what the outbox of alerts holds. */
export const alertDeliveries = (): LeaderDuty => ({ name: ALERT_DELIVERIES, everyMs: 1_000, tellsOnly: true, run: createSender() });
