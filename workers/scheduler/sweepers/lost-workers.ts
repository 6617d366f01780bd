import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";
import type { LeaderDuty } from "../wheel-loop";

/** Takes back what workers held whose lease ran out (IDM-3). */
export const lostWorkers: LeaderDuty = { name: "lost-workers", everyMs: 1_000, run: recoverLostWorkers };
