import { endOverdueDeadlines } from "@/server/engine/runs/end-overdue-deadlines";
import type { LeaderDuty } from "../wheel-loop";

/** Ends nodes whose attempts together have taken all of their time. */
export const overdueDeadlines: LeaderDuty = { name: "overdue-deadlines", everyMs: 1_000, wokenBy: ["deadline"], run: endOverdueDeadlines };
