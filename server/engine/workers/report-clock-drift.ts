import { platformEvents } from "@/db/schema/platform";
import type { Ctx } from "@/server/engine/context";

/** Tells that a worker's host has a wrong clock; the event's own times are the database's (P22). */
export async function reportClockDrift(ctx: Ctx, worker: { readonly id: string; readonly hostname: string; readonly offsetMs: number }) {
  const { id, hostname, offsetMs } = worker;
  const off = `${(Math.abs(offsetMs) / 1_000).toFixed(1)} s ${offsetMs > 0 ? "ahead of" : "behind"} the database`;
  await ctx.db.insert(platformEvents).values({
    id: ctx.ids.uuid(new Date(ctx.clock.now().getTime() - offsetMs)),
    code: "APOLLO_CLOCK_DRIFT_503",
    message: `The clock of ${hostname} is ${off}. Worker ${id} takes no new node until it is right; set the host's clock (NTP).`,
    data: { workerId: id, hostname, offsetMs: Math.round(offsetMs) },
  });
}
