import { watchBreakers } from "@/server/engine/breaker/watch-breakers";
import type { LeaderDuty } from "../wheel-loop";

/** Takes workers out that fail too often, and asks those that are out for probes (EXC-6). */
export const breakers: LeaderDuty = { name: "breakers", everyMs: 5_000, tellsOnly: true, run: watchBreakers };
