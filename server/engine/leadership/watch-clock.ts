import { platformEvents } from "@/db/schema/platform";
import type { Clock, Ctx } from "@/server/engine/context";
import type { Recovered } from "@/server/engine/runs/recover";

/** A host whose clock is farther off than this refuses to start; one that drifts there while running is reported. */
export const MOST_DRIFT_MS = 2_000;

/** Compares the host's clock with the database's, and reports once each time that it has gone astray. */
export function createClockWatch(host: Clock): (ctx: Ctx) => Promise<Recovered> {
  let astray = false;
  return async (ctx) => {
    const driftMs = host.now().getTime() - ctx.clock.now().getTime();
    const was = astray;
    astray = Math.abs(driftMs) > MOST_DRIFT_MS;
    if (!astray || was) return { count: 0, more: false };
    ctx.log.warn({ driftMs }, "this host's clock is off the database's; fires follow the database");
    await ctx.db.insert(platformEvents).values({
      id: ctx.ids.uuid(ctx.clock.now()),
      code: "APOLLO_CLOCK_DRIFT_503",
      message: `The scheduler's host is ${(Math.abs(driftMs) / 1_000).toFixed(1)} s ${driftMs > 0 ? "ahead of" : "behind"} the database. Fires follow the database; set the host's clock (NTP).`,
      data: { driftMs },
      at: ctx.clock.now(),
    });
    return { count: 1, more: false };
  };
}
