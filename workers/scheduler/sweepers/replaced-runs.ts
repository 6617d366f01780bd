import { cancelReplaced } from "@/server/engine/schedules/cancel-replaced";
import type { LeaderDuty } from "../wheel-loop";

export const REPLACED_RUNS = "replaced-runs";

/** Tells runs to end that a newer one of their schedule replaces. */
export const replacedRuns: LeaderDuty = { name: REPLACED_RUNS, everyMs: 5_000, run: cancelReplaced };
