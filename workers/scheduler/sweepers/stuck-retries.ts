import { reviewStuckRetries } from "@/server/engine/runs/review-stuck-retries";
import type { LeaderDuty } from "../wheel-loop";

/** Shows a person what waits for a retry that will not come. */
export const stuckRetries: LeaderDuty = { name: "stuck-retries", everyMs: 60_000, run: reviewStuckRetries };
