import { releaseDue } from "@/server/engine/valves/release-due";
import { settleValves } from "@/server/engine/valves/settle-valves";
import { watchBounds } from "@/server/engine/valves/watch-bounds";
import type { LeaderDuty } from "../wheel-loop";

/** Lets go what stop valves hold, at the rate that was chosen (RUN-12). */
export const valveReleases: LeaderDuty = { name: "valve-releases", everyMs: 1_000, run: releaseDue };
/** Ends the closing of valves whose process did not live to. */
export const valveClosings: LeaderDuty = { name: "valve-closings", everyMs: 5_000, run: settleValves };
/** Defers what fails too often, and lets it go on when it works again (EXC-10). */
export const failureBounds: LeaderDuty = { name: "failure-bounds", everyMs: 10_000, run: watchBounds };
