import type { Clock } from "@/server/engine/context";
import { createClockWatch } from "@/server/engine/leadership/watch-clock";
import type { LeaderDuty } from "../wheel-loop";

/** Reports a host clock that has drifted from the database's. */
export const hostClock = (host: Clock): LeaderDuty => ({ name: "host-clock", everyMs: 10_000, run: createClockWatch(host) });
