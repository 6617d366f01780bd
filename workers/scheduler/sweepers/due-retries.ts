import { queueDueRetries } from "@/server/engine/runs/queue-due-retries";
import type { LeaderDuty } from "../wheel-loop";

/** Queues what waited for its next attempt. */
export const dueRetries: LeaderDuty = { name: "due-retries", everyMs: 1_000, wokenBy: ["retry"], run: queueDueRetries };
