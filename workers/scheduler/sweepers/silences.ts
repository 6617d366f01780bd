import { createSilenceWatch } from "@/server/engine/alerts/watch-silence";
import type { LeaderDuty } from "../wheel-loop";

/** Looks for what should have happened and did not (ALT-5). */
export const silenceWatch = (): LeaderDuty => ({ name: "silence-watch", everyMs: 15_000, tellsOnly: true, run: createSilenceWatch() });
