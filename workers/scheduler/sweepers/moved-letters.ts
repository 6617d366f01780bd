import { closeMovedLetters } from "@/server/engine/dead-letters/close-moved-letters";
import type { LeaderDuty } from "../wheel-loop";

/** Closes dead letters of what could not be decided on and has moved since. */
export const movedLetters: LeaderDuty = { name: "moved-letters", everyMs: 5_000, run: closeMovedLetters };
