import { removeExpired } from "@/server/engine/access/remove-expired";
import type { LeaderDuty } from "../wheel-loop";

/** Removes sessions, links and idempotency keys that are over. */
export const expiredAccess: LeaderDuty = { name: "expired-access", everyMs: 600_000, run: removeExpired };
