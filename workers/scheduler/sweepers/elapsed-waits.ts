import { endElapsedWaits } from "@/server/engine/runs/end-elapsed-waits";
import type { LeaderDuty } from "../wheel-loop";

/** Ends `wait` nodes whose time has come. */
export const elapsedWaits: LeaderDuty = { name: "elapsed-waits", everyMs: 1_000, wokenBy: ["wait"], run: endElapsedWaits };
