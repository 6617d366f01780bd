import { nextWallTime } from "./cron-calendar";
import type { CronExpression } from "./cron-expression";
import { firesBetween, readTiming, type ScheduleTiming } from "./next-fires";
import { segmentAt, type ZoneSegment } from "./zone-segment";

/** What a change of the clock does to a schedule; wall times are readings such as `2026-03-08T02:30`. */
export type TransitionEffect =
  | { readonly kind: "unaffected" }
  | { readonly kind: "keeps_cadence" }
  | { readonly kind: "shifted"; readonly wallTimes: readonly string[]; readonly firesAt: readonly Date[] }
  | { readonly kind: "skipped"; readonly wallTimes: readonly string[] }
  | { readonly kind: "first_pass" | "last_pass" | "both_passes"; readonly wallTimes: readonly string[]; readonly firesAt: readonly Date[] };

export interface ScheduleTransition {
  readonly at: Date;
  readonly kind: "gap" | "fold";
  /** The clock's reading at that instant by the old offset, and by the new one. */
  readonly wallBefore: string;
  readonly wallAfter: string;
  readonly offsetBeforeMinutes: number;
  readonly offsetAfterMinutes: number;
  readonly effect: TransitionEffect;
}

/** A preview names a few times; it does not list a whole hour of seconds. */
const MAX_WALL_TIMES = 12;
/** Nothing later than this is promised by any zone data. */
const HORIZON_MS = 20 * 366 * 86_400_000;

const wallText = (wallMs: number) => new Date(wallMs).toISOString().slice(0, wallMs % 60_000 === 0 ? 16 : 19);

/** Matching wall-clock readings in [fromMs, toMs). */
function wallTimesIn(cron: CronExpression, fromMs: number, toMs: number): string[] {
  const found: string[] = [];
  for (
    let wall = nextWallTime(cron, fromMs);
    wall !== null && wall < toMs && found.length < MAX_WALL_TIMES;
    wall = nextWallTime(cron, wall + 1_000)
  ) {
    found.push(wallText(wall));
  }
  return found;
}

function effectOf(schedule: ScheduleTiming, cron: CronExpression, before: ZoneSegment): TransitionEffect {
  const atMs = before.endMs;
  const wallBefore = atMs + before.offsetMs;
  const wallAfter = atMs + before.offsetAfterMs;
  const isGap = wallAfter > wallBefore;
  const wallTimes = wallTimesIn(cron, Math.min(wallBefore, wallAfter), Math.max(wallBefore, wallAfter));
  if (wallTimes.length === 0) return { kind: "unaffected" };
  if (/^[*/]/.test(cron.fields.hour)) return { kind: "keeps_cadence" };
  if (isGap) {
    if (cron.isCadence || schedule.gap === "skip") return { kind: "skipped", wallTimes };
    return { kind: "shifted", wallTimes, firesAt: [new Date(atMs)] };
  }
  const span = wallBefore - wallAfter;
  const firesAt = firesBetween(schedule, new Date(atMs - span - 1), new Date(atMs + span - 1), 2 * MAX_WALL_TIMES);
  const pass = cron.isCadence ? "both" : schedule.fold;
  return { kind: pass === "first" ? "first_pass" : pass === "last" ? "last_pass" : "both_passes", wallTimes, firesAt };
}

/** What the next `count` clock changes of the zone after `after` will do to a schedule; none for a zone without any. */
export function nextTransitions(schedule: ScheduleTiming, after: Date, count: number): ScheduleTransition[] {
  const { cron, zone } = readTiming(schedule);
  const transitions: ScheduleTransition[] = [];
  let segment = segmentAt(zone, after.getTime());
  while (transitions.length < count && segment.endMs - after.getTime() < HORIZON_MS) {
    transitions.push({
      at: new Date(segment.endMs),
      kind: segment.offsetAfterMs > segment.offsetMs ? "gap" : "fold",
      wallBefore: wallText(segment.endMs + segment.offsetMs),
      wallAfter: wallText(segment.endMs + segment.offsetAfterMs),
      offsetBeforeMinutes: segment.offsetMs / 60_000,
      offsetAfterMinutes: segment.offsetAfterMs / 60_000,
      effect: effectOf(schedule, cron, segment),
    });
    segment = segmentAt(zone, segment.endMs);
  }
  return transitions;
}
