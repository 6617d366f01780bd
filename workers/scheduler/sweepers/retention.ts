import { retain } from "@/server/engine/retention/retain";
import type { LeaderDuty } from "../wheel-loop";

/** Removes what is past its time. */
export const retention: LeaderDuty = { name: "retention", everyMs: 600_000, tellsOnly: true, run: retain };
