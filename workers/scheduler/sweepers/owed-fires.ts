import { writeOwedFires } from "@/server/engine/schedules/write-owed-fires";
import type { LeaderDuty } from "../wheel-loop";

/** Writes the ledger's lines that edits have left over. */
export const owedFires: LeaderDuty = { name: "owed-fires", everyMs: 5_000, run: writeOwedFires };
