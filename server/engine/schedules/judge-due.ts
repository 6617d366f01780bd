import type { Tx } from "@/db/client";
import { countLiveRuns } from "@/db/statements/fires/count-live-runs";
import { type JudgedFires, judgeFires } from "@/server/domain/schedule/judge-fires";
import type { LiveRuns } from "@/server/domain/schedule/overlap";
import type { Ctx } from "@/server/engine/context";
import { loadVersions, versionIn } from "@/server/engine/runs/versions";
import { misfireOf, overlapOf, type ScheduleRow, timingOf } from "./schedule-row";
import { setAside } from "./set-aside";

export interface Due {
  readonly schedule: ScheduleRow;
  readonly versionId: string;
}

export interface Judged extends Due {
  readonly judged: JudgedFires;
}

/** Fires that one schedule may have judged in one transaction; a long outage takes several. */
const FIRES_OF_ONE = 200;

/**
 * Judges what is due, as much of it as one transaction may write: a pipeline of a thousand nodes makes a thousand rows at
 * each fire, and a statement that is cut off for its length would be cut off again and again. What is left over stays due.
 */
export async function judgeDue(
  ctx: Ctx,
  tx: Tx,
  due: readonly Due[],
  { now, rows }: { readonly now: Date; readonly rows: number },
): Promise<{ readonly judged: Judged[]; readonly complete: boolean }> {
  const live = await liveRunsOf(tx, due);
  const versions = await loadVersions(
    tx,
    due.map(({ versionId }) => versionId),
  );
  const judged: Judged[] = [];
  let left = rows;
  for (const one of due) {
    try {
      const whole = judgeOne(one.schedule, live(one), now);
      const { fires, used } = fitting(whole, versionIn(versions, one.versionId).plan.nodes.length, left);
      if (fires === 0 && whole.fires.length > 0) {
        if (judged.length > 0) return { judged, complete: false };
        return { judged: [{ ...one, judged: cut(whole, 1) }], complete: false };
      }
      judged.push({ ...one, judged: cut(whole, fires) });
      left -= used;
    } catch (error) {
      // It became unreadable, as when this runtime no longer knows its zone: it says so, and holds up nobody (B06).
      await setAside(ctx, tx, one.schedule, { code: "APOLLO_SCHEDULE_UNREADABLE_422", reason: messageOf(error) });
    }
  }
  return { judged, complete: true };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function liveRunsOf(tx: Tx, due: readonly Due[]): Promise<(one: Due) => LiveRuns> {
  const counts = await countLiveRuns(
    tx,
    due.map(({ schedule }) => schedule.id),
  );
  const live = new Map<string, LiveRuns>(counts.map((count) => [count.scheduleId, count]));
  return ({ schedule }) => live.get(schedule.id) ?? { active: 0, waiting: 0 };
}

const judgeOne = (row: ScheduleRow, live: LiveRuns, now: Date): JudgedFires =>
  judgeFires({
    schedule: timingOf(row),
    misfire: misfireOf(row),
    overlap: overlapOf(row),
    cursor: row.cursorAt,
    activeFrom: row.activeFrom,
    now,
    live,
    limits: { maxFires: FIRES_OF_ONE },
  });

/** How many of the oldest fires make no more rows than that: a line each, and the nodes of those that start a run. */
function fitting({ fires }: JudgedFires, nodes: number, rows: number): { fires: number; used: number } {
  let used = 0;
  for (const [index, fire] of fires.entries()) {
    const more = fire.start ? 1 + nodes : 1;
    if (used + more > rows) return { fires: index, used };
    used += more;
  }
  return { fires: fires.length, used };
}

/** The oldest of them with the verdicts that they have among all: what a later fire replaces is not started after all. */
function cut(judged: JudgedFires, count: number): JudgedFires {
  const last = judged.fires[count - 1];
  if (count >= judged.fires.length || !last) return judged;
  return { ...judged, fires: judged.fires.slice(0, count), cursor: last.fireAt, hasMore: true };
}
