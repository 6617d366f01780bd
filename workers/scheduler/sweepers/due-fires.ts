import { createNap } from "../nap";
import type { LeaderDuty, LeaderTools } from "../wheel-loop";
import { createFireBatches } from "./fire-batches";
import { REPLACED_RUNS } from "./replaced-runs";

/** How soon to look again at what an edit holds, and how often before the sweep of the next second does. */
const HELD_PAUSE_MS = 25;
const HELD_TRIES = 20;
export const DUE_FIRES = "due-fires";

/** Fires every schedule whose time has come. */
export function dueFires(tools: LeaderTools): LeaderDuty {
  const nap = createNap();
  const batches = createFireBatches();
  const run: LeaderDuty["run"] = async (ctx, fence) => {
    let report = await batches.fire(ctx, fence);
    for (let tries = 0; report.held && tries < HELD_TRIES; tries++) {
      await nap.sleep(HELD_PAUSE_MS);
      report = await batches.fire(ctx, fence);
    }
    for (const { id, version, nextFireAt } of report.moved) tools.setSchedule(id, version, nextFireAt);
    if (report.replaces) tools.kick(REPLACED_RUNS);
    if (report.again) tools.kick(DUE_FIRES);
    return report;
  };
  return { name: DUE_FIRES, everyMs: 1_000, wokenBy: ["fire"], run };
}
