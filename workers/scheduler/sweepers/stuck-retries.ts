import { endStalledNodes } from "@/server/engine/runs/end-stalled-nodes";
import { reviewStuckRetries } from "@/server/engine/runs/review-stuck-retries";
import type { LeaderDuty } from "../wheel-loop";

/** Shows a person what waits for a retry that will not come. */
export const stuckRetries: LeaderDuty = { name: "stuck-retries", everyMs: 60_000, run: reviewStuckRetries };
/** Ends what gives no sign of progress, where its node asks for it. */
export const stalledAttempts: LeaderDuty = { name: "stalled-attempts", everyMs: 15_000, run: endStalledNodes };
