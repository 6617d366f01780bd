import { and, count, eq, isNull, sum } from "drizzle-orm";
import { fires, schedules } from "@/db/schema/pipelines";
import { firesBetween } from "@/server/domain/schedule/next-fires";
import { FIRE_VERDICTS, type FireVerdict } from "@/server/domain/schedule/verdict";
import type { Ctx } from "@/server/engine/context";
import { inFilter, type ParsedFireFilter } from "./fire-filter";
import { type ScheduleRow, timingOf } from "./schedule-row";

export interface FireSums {
  /** Counted from the schedules' expressions, not from the ledger; null where that would count too many. */
  readonly expected: number | null;
  readonly recorded: number;
  readonly verdicts: Readonly<Record<FireVerdict, number>>;
  readonly duplicatesRefused: number;
  /** Expected = sum of verdicts; null where expected is. */
  readonly balanced: boolean | null;
}

/** Above this many the expected fires are not counted again: a list must answer quickly. */
const MOST_COUNTED = 20_000;

/** The sum line of the ledger: what its rows say against what the expressions say. */
export async function sumFires(ctx: Pick<Ctx, "db">, filter: ParsedFireFilter): Promise<FireSums> {
  const rows = await ctx.db
    .select({
      scheduleId: fires.scheduleId,
      version: fires.scheduleVersion,
      verdict: fires.verdict,
      rows: count(),
      duplicates: sum(fires.duplicatesRefused).mapWith(Number),
    })
    .from(fires)
    .where(inFilter(filter))
    .groupBy(fires.scheduleId, fires.scheduleVersion, fires.verdict);
  const verdicts = Object.fromEntries(FIRE_VERDICTS.map((verdict) => [verdict, 0])) as Record<FireVerdict, number>;
  for (const row of rows) verdicts[row.verdict as FireVerdict] += row.rows;
  const recorded = rows.reduce((total, row) => total + row.rows, 0);

  const current = await ctx.db
    .select()
    .from(schedules)
    .where(
      and(
        eq(schedules.projectId, filter.projectId),
        filter.schedule ? eq(schedules.id, filter.schedule) : undefined,
        filter.pipelineId ? eq(schedules.pipelineId, filter.pipelineId) : undefined,
        isNull(schedules.removedAt),
        eq(schedules.health, "OK"),
      ),
    );
  const versions = new Map(current.map((row) => [row.id, row.version]));
  const ofOldVersions = rows.filter((row) => versions.get(row.scheduleId) !== row.version).reduce((total, row) => total + row.rows, 0);
  const ofCurrent = countExpected(current, filter);
  const expected = ofCurrent === null ? null : ofCurrent + ofOldVersions;
  return {
    expected,
    recorded,
    verdicts,
    duplicatesRefused: rows.reduce((total, row) => total + row.duplicates, 0),
    balanced: expected === null ? null : expected === recorded,
  };
}

/** Fires of the schedules as they are now, up to where the leader has judged them; an older version's are in the ledger alone. */
function countExpected(rows: readonly ScheduleRow[], filter: ParsedFireFilter): number | null {
  let total = 0;
  for (const row of rows) {
    // Bounds: activeFrom < fire ≤ cursor, and from ≤ fire < to.
    const from = new Date(Math.max(row.activeFrom.getTime(), (filter.from?.getTime() ?? 0) - 1));
    const to = new Date(Math.min(row.cursorAt.getTime(), (filter.to?.getTime() ?? Number.POSITIVE_INFINITY) - 1));
    total += firesBetween(timingOf(row), from, to, MOST_COUNTED + 1 - total).length;
    if (total > MOST_COUNTED) return null;
  }
  return total;
}
