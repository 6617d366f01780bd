import { DomainError } from "../failure";
import type { ScheduleDefinition } from "../pipeline/definition";
import { parseCron } from "./cron";
import { nextWallTime } from "./cron-calendar";
import type { CronExpression } from "./cron-expression";
import { checkZone } from "./zone";
import { segmentAt, type ZoneSegment } from "./zone-segment";

/** The part of a schedule that says when it fires. */
export type ScheduleTiming = Pick<ScheduleDefinition, "cron" | "dialect" | "timezone" | "gap" | "fold">;

interface Timing {
  readonly cron: CronExpression;
  readonly zone: string;
  readonly gap: ScheduleTiming["gap"];
  readonly fold: ScheduleTiming["fold"];
}

const SECOND_MS = 1_000;

/** Reads a schedule's expression and zone; throws `invalid_input` if either is wrong. */
export function readTiming(schedule: ScheduleTiming): Timing {
  const parsed = parseCron(schedule.cron, schedule.dialect);
  if (!parsed.ok) {
    const issues = parsed.issues.map(({ code, message }) => ({ path: "cron", code, message }));
    throw new DomainError("invalid_input", issues[0]?.message ?? "the cron expression cannot be read", { issues });
  }
  const zone = checkZone(schedule.timezone);
  if (!zone.ok) {
    throw new DomainError("invalid_input", zone.message, { issues: [{ path: "timezone", code: "unknown_zone", message: zone.message }] });
  }
  return { cron: parsed.cron, zone: zone.zone, gap: schedule.gap, fold: schedule.fold };
}

/** Whether a wall-clock time that lies in a repeated stretch is left out of this pass. */
function isOtherPass(timing: Timing, segment: ZoneSegment, wallMs: number): boolean {
  if (timing.cron.isCadence || timing.fold === "both") return false;
  const isSecondPass = wallMs < segment.startMs + segment.offsetBeforeMs;
  const isFirstPass = wallMs >= segment.endMs + segment.offsetAfterMs;
  return timing.fold === "first" ? isSecondPass : isFirstPass;
}

/** Whether a fixed time falls into the gap before a segment, to be made up at its first instant. */
function isShiftedToStart(timing: Timing, segment: ZoneSegment): boolean {
  if (timing.cron.isCadence || timing.gap === "skip" || segment.offsetMs <= segment.offsetBeforeMs) return false;
  const inGap = nextWallTime(timing.cron, segment.startMs + segment.offsetBeforeMs);
  return inGap !== null && inGap < segment.startMs + segment.offsetMs;
}

/**
 * Instants at or after `fromMs`, ascending, endless unless the years end. Works on wall-clock times
 * within each stretch of constant offset, so gaps and folds are decided at its two ends only.
 */
function* firesFrom(timing: Timing, fromMs: number): Generator<number, void> {
  let segment = segmentAt(timing.zone, fromMs);
  let last = Number.NEGATIVE_INFINITY;
  let cursor = fromMs;
  for (;;) {
    if (cursor <= segment.startMs && isShiftedToStart(timing, segment)) {
      last = segment.startMs;
      yield last;
    }
    let wall = nextWallTime(timing.cron, cursor + segment.offsetMs);
    while (wall !== null && wall - segment.offsetMs < segment.endMs) {
      const instant = wall - segment.offsetMs;
      if (instant > last && !isOtherPass(timing, segment, wall)) {
        last = instant;
        yield instant;
      }
      wall = nextWallTime(timing.cron, wall + SECOND_MS);
    }
    if (segment.endMs === Number.POSITIVE_INFINITY) return;
    if (wall === null && nextWallTime(timing.cron, segment.endMs + segment.offsetAfterMs) === null) return;
    cursor = segment.endMs;
    segment = segmentAt(timing.zone, cursor);
  }
}

/** The next `count` fires strictly after `after`; fewer only where the expression's years end. */
export function nextFires(schedule: ScheduleTiming, after: Date, count: number): Date[] {
  const fires: Date[] = [];
  if (count < 1) return fires;
  for (const instant of firesFrom(readTiming(schedule), after.getTime() + 1)) {
    fires.push(new Date(instant));
    if (fires.length >= count) break;
  }
  return fires;
}

/** The first fires in (from, to], at most `limit` of them; ask for one more to see whether there are more. */
export function firesBetween(schedule: ScheduleTiming, from: Date, to: Date, limit: number): Date[] {
  const fires: Date[] = [];
  if (limit < 1 || to <= from) return fires;
  for (const instant of firesFrom(readTiming(schedule), from.getTime() + 1)) {
    if (instant > to.getTime()) break;
    fires.push(new Date(instant));
    if (fires.length >= limit) break;
  }
  return fires;
}
