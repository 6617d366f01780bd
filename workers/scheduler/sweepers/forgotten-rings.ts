import { ringForgotten } from "@/server/engine/runs/ring-forgotten";
import type { LeaderDuty } from "../wheel-loop";

/** Rings again for what is queued and whose ring was lost. */
export const forgottenRings: LeaderDuty = { name: "forgotten-rings", everyMs: 2_000, run: ringForgotten };
