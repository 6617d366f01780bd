import type { schedules } from "@/db/schema/pipelines";
import type {
  CronDialect,
  FoldPolicy,
  GapPolicy,
  MisfirePolicy,
  OverlapPolicy,
  ScheduleDefinition,
} from "@/server/domain/pipeline/definition";
import { nextFires, type ScheduleTiming } from "@/server/domain/schedule/next-fires";

export type ScheduleRow = typeof schedules.$inferSelect;

/** When a stored schedule fires; the table's checks hold the closed lists. */
export function timingOf(row: Pick<ScheduleRow, "expression" | "dialect" | "timezone" | "gap" | "fold">): ScheduleTiming {
  return {
    cron: row.expression,
    dialect: row.dialect as CronDialect,
    timezone: row.timezone,
    gap: row.gap as GapPolicy,
    fold: row.fold as FoldPolicy,
  };
}

export const misfireOf = (row: Pick<ScheduleRow, "misfire">): MisfirePolicy => row.misfire as MisfirePolicy;
export const overlapOf = (row: Pick<ScheduleRow, "overlap">): OverlapPolicy => row.overlap as OverlapPolicy;

/** The columns that an author's text decides. */
export function definedColumns(schedule: ScheduleDefinition) {
  return {
    expression: schedule.cron,
    dialect: schedule.dialect,
    timezone: schedule.timezone,
    misfire: schedule.misfire,
    overlap: schedule.overlap,
    gap: schedule.gap,
    fold: schedule.fold,
    params: schedule.params ?? {},
  };
}

/** The first fire after an instant; null where there is none, or where this runtime cannot read the schedule any more. */
export function nextFireAfter(row: Parameters<typeof timingOf>[0], after: Date): Date | null {
  return nextFires(timingOf(row), after, 1)[0] ?? null;
}

/** Off, and nothing was ever accounted for: it has never been on, so that no fire was expected of it yet. */
export const wasNeverOn = (row: ScheduleRow): boolean => !row.enabled && hasNoHistory(row);

const hasNoHistory = (row: ScheduleRow): boolean => row.cursorAt.getTime() === row.activeFrom.getTime();

/** The row's columns after it was switched on or off, by itself or with its pipeline. */
export function switched(row: ScheduleRow, enabled: boolean, now: Date): Partial<ScheduleRow> {
  if (enabled) {
    if (wasNeverOn(row)) {
      return { enabled, health: "OK", healthReason: null, activeFrom: now, cursorAt: now, nextFireAt: nextFireAfter(row, now) };
    }
    return { enabled, health: "OK", healthReason: null, nextFireAt: nextFireAfter(row, row.cursorAt) };
  }
  // What was set aside keeps its place: the fires that it owes are judged when it is on again.
  if (row.health !== "OK") return { enabled, cursorAt: new Date(Math.max(row.cursorAt.getTime(), row.activeFrom.getTime() + 1)) };
  // No fire lies between the cursor and the next one: it may be moved up to there, and so shows that the schedule was on.
  const moved = Math.max(now.getTime(), row.activeFrom.getTime() + 1);
  const upTo = Math.min(moved, (row.nextFireAt?.getTime() ?? Number.POSITIVE_INFINITY) - 1);
  return { enabled, cursorAt: new Date(Math.max(row.cursorAt.getTime(), upTo)) };
}
