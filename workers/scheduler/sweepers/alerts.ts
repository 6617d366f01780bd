import { decideNew } from "@/server/engine/alerts/decide-new";
import { releaseHeld } from "@/server/engine/alerts/release-held";
import { resolveRecovered } from "@/server/engine/alerts/resolve-recovered";
import type { LeaderDuty, LeaderTools } from "../wheel-loop";
import { ALERT_DELIVERIES } from "./deliveries";

/** Decides on what failed since the last time: who is told, and what is kept back by what. */
export const newAlerts = ({ kick }: LeaderTools): LeaderDuty => ({
  name: "alerts",
  everyMs: 1_000,
  tellsOnly: true,
  run: async (ctx, fence) => {
    const decided = await decideNew(ctx, fence);
    if (decided.count > 0) kick(ALERT_DELIVERIES);
    return decided;
  },
});

/** What was kept from people fires again when what kept it back has ended. */
export const heldAlerts: LeaderDuty = { name: "held-alerts", everyMs: 2_000, tellsOnly: true, run: releaseHeld };

/** Resolves alerts whose tasks are well again. */
export const recoveredAlerts: LeaderDuty = { name: "recovered-alerts", everyMs: 10_000, tellsOnly: true, run: resolveRecovered };
