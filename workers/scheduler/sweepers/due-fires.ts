import { fireDue } from "@/server/engine/schedules/fire-due";
import { createNap } from "../nap";
import type { LeaderDuty, LeaderTools } from "../wheel-loop";
import { REPLACED_RUNS } from "./replaced-runs";

/** How soon to look again at what an edit holds, and how often before the sweep of the next second does. */
const HELD_PAUSE_MS = 25;
const HELD_TRIES = 20;

/** Fires every schedule whose time has come. */
export function dueFires(tools: LeaderTools): LeaderDuty {
  const nap = createNap();
  const run: LeaderDuty["run"] = async (ctx, fence) => {
    let report = await fireDue(ctx, fence);
    for (let tries = 0; report.held && tries < HELD_TRIES; tries++) {
      await nap.sleep(HELD_PAUSE_MS);
      report = await fireDue(ctx, fence);
    }
    for (const { id, version, nextFireAt } of report.moved) tools.setSchedule(id, version, nextFireAt);
    if (report.replaces) tools.kick(REPLACED_RUNS);
    return report;
  };
  return { name: "due-fires", everyMs: 1_000, wokenBy: ["fire"], run };
}
