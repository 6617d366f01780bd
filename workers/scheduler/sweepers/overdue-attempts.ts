import { endOverdueAttempts } from "@/server/engine/runs/end-overdue-attempts";
import type { LeaderDuty } from "../wheel-loop";

/** Ends attempts that ran past their own limit and whose worker did not say so. */
export const overdueAttempts: LeaderDuty = { name: "overdue-attempts", everyMs: 1_000, wokenBy: ["timeout"], run: endOverdueAttempts };
