import { releaseDue } from "@/server/engine/valves/release-due";
import { settleValves } from "@/server/engine/valves/settle-valves";
import type { LeaderDuty } from "../wheel-loop";

/** Lets go what stop valves hold, at the rate that was chosen (RUN-12). */
export const valveReleases: LeaderDuty = { name: "valve-releases", everyMs: 1_000, run: releaseDue };
/** Ends the closing of valves whose process did not live to. */
export const valveClosings: LeaderDuty = { name: "valve-closings", everyMs: 5_000, run: settleValves };
