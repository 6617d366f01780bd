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

/** Nothing was ever accounted for, and it is not on now, be it by itself or by its pipeline: no fire was ever expected of it. */
export const wasNeverOn = (row: ScheduleRow, pipelineOn: boolean): boolean => hasNoHistory(row) && !(row.enabled && pipelineOn);

const hasNoHistory = (row: ScheduleRow): boolean => row.cursorAt.getTime() === row.activeFrom.getTime();

/** The row's columns after it was switched on or off by itself. */
export function switched(row: ScheduleRow, enabled: boolean, now: Date, pipelineOn: boolean): Partial<ScheduleRow> {
  const neverOn = wasNeverOn(row, pipelineOn);
  if (!enabled) return { enabled, ...(neverOn ? {} : paused(row, now)) };
  return { enabled, health: "OK", healthReason: null, ...(neverOn ? begun(row, now) : { nextFireAt: nextFireAfter(row, row.cursorAt) }) };
}

/** The columns of one that is on, after its pipeline was switched; null where nothing changes. */
export function switchedWithPipeline(row: ScheduleRow, pipelineOn: boolean, now: Date): Partial<ScheduleRow> | null {
  if (!pipelineOn) return paused(row, now);
  return hasNoHistory(row) && row.health === "OK" ? begun(row, now) : null;
}

/** It has never been on, so that it owes nothing of what lies before. */
const begun = (row: ScheduleRow, now: Date): Partial<ScheduleRow> => ({
  activeFrom: now,
  cursorAt: now,
  nextFireAt: nextFireAfter(row, now),
});

/** The cursor moves on, and so shows that the schedule was on: what comes while it is off is judged when it is on again. */
function paused(row: ScheduleRow, now: Date): Partial<ScheduleRow> {
  const moved = row.activeFrom.getTime() + 1;
  // What was set aside keeps its place, with the fires that it owes.
  if (row.health !== "OK") return { cursorAt: new Date(Math.max(row.cursorAt.getTime(), moved)) };
  // No fire lies between the cursor and the next one: it may be moved up to there.
  const upTo = Math.min(Math.max(now.getTime(), moved), (row.nextFireAt?.getTime() ?? Number.POSITIVE_INFINITY) - 1);
  return { cursorAt: new Date(Math.max(row.cursorAt.getTime(), upTo)) };
}
