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

/** The row's columns after it was switched on or off. */
export function switched(row: ScheduleRow, enabled: boolean, now: Date): Partial<ScheduleRow> {
  if (enabled) {
    // Nothing was ever accounted for: it was never on, so that nothing before now was expected of it.
    if (row.cursorAt.getTime() === row.activeFrom.getTime()) {
      return { enabled, health: "OK", healthReason: null, activeFrom: now, cursorAt: now, nextFireAt: nextFireAfter(row, now) };
    }
    return { enabled, health: "OK", healthReason: null, nextFireAt: nextFireAfter(row, row.cursorAt) };
  }
  // No fire lies between the cursor and the next one: it may be moved up to there, and shows that the schedule was on.
  const upTo = Math.min(now.getTime(), (row.nextFireAt?.getTime() ?? Number.POSITIVE_INFINITY) - 1);
  return { enabled, cursorAt: new Date(Math.max(row.cursorAt.getTime(), upTo)) };
}
