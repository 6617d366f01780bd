import { createTurnNet } from "@/server/engine/runs/activate-waiting-runs";
import type { LeaderDuty } from "../wheel-loop";

/** Starts runs whose turn has come and whom no commit has told so. */
export const waitingRuns: LeaderDuty = { name: "waiting-runs", everyMs: 1_000, run: createTurnNet() };
