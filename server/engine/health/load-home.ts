import { authorise } from "@/server/engine/access/authorise";
import { type AuditRow, listAudit } from "@/server/engine/audit/list-audit";
import type { Ctx } from "@/server/engine/context";
import { countOpenLetters } from "@/server/engine/dead-letters/list-dead-letters";
import { countOpenValves } from "@/server/engine/valves/list-valves";
import { type LateOrSilent, lateOrSilent } from "./late-or-silent";
import { type BrokenGroup, listBroken } from "./list-broken";
import { type PlatformHealth, platformHealth } from "./report-health";
import { type UpcomingFires, upcomingFires } from "./upcoming-fires";

/** The home screen, readable in ten seconds (OBS-1). */
export interface Home {
  readonly at: Date;
  readonly platform: PlatformHealth;
  readonly broken: readonly BrokenGroup[];
  /** Dead letters that wait for a person. */
  readonly deadLetters: number;
  /** Stop valves that hold something back. */
  readonly valves: number;
  readonly lateOrSilent: readonly LateOrSilent[];
  /** Of the last hour, newest first. */
  readonly changed: readonly AuditRow[];
  /** Of the next hour. */
  readonly next: UpcomingFires;
}

const CHANGED_WITHIN_MS = 3_600_000;
const MOST_CHANGES = 20;

export async function loadHome(ctx: Ctx, projectId: string): Promise<Home> {
  authorise(ctx, projectId, "project.read");
  const at = ctx.clock.now();
  const [platform, broken, deadLetters, valves, late, changed, next] = await Promise.all([
    platformHealth(ctx),
    listBroken(ctx, projectId),
    countOpenLetters(ctx, projectId),
    countOpenValves(ctx, projectId),
    lateOrSilent(ctx, projectId),
    listAudit(ctx, { projectId, from: new Date(at.getTime() - CHANGED_WITHIN_MS), limit: MOST_CHANGES }),
    upcomingFires(ctx, projectId, 1),
  ]);
  return { at, platform, broken, deadLetters, valves, lateOrSilent: late, changed: changed.items, next };
}
