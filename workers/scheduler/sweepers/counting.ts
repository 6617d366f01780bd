import { countCalls } from "@/server/engine/dependencies/count-calls";
import { countCauses } from "@/server/engine/root-causes/count-causes";
import type { LeaderDuty } from "../wheel-loop";

/** Counts bursts of one code into their cards (EXC-7). */
export const rootCauses: LeaderDuty = { name: "root-causes", everyMs: 5_000, tellsOnly: true, run: countCauses };
/** Counts calls by host and by declared resource. */
export const dependencyCalls: LeaderDuty = { name: "dependency-calls", everyMs: 10_000, tellsOnly: true, run: countCalls };
