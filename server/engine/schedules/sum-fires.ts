import { and, count, eq, isNull, sum } from "drizzle-orm";
import { fires, owedFires, schedules } from "@/db/schema/pipelines";
import { firesBetween, type ScheduleTiming } from "@/server/domain/schedule/next-fires";
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
  /** Fires before an edit that the leader is still writing, beyond those expected; null where they are too many to count. */
  readonly notItemised: number | null;
  /** From when on it is counted. */
  readonly from: Date;
  /** The bound is the default one, since none was asked for. */
  readonly byDefault: boolean;
}

/** Above this many the expected fires are not counted again: a list must answer quickly. */
const MOST_COUNTED = 20_000;

const DAY_MS = 86_400_000;
/** Without a lower bound a project is summed up over a day, one schedule or pipeline over a week: a ledger grows for ever. */
export const DEFAULT_SUM_DAYS = { project: 1, one: 7 } as const;

/** The sum line of the ledger: what its rows say against what the expressions say. */
export async function sumFires(ctx: Pick<Ctx, "db" | "clock">, asked: ParsedFireFilter): Promise<FireSums> {
  const filter = bounded(ctx, asked);
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
    notItemised: await countOwed(ctx, filter),
    from: filter.from,
    byDefault: asked.from === undefined,
  };
}

function bounded({ clock }: Pick<Ctx, "clock">, filter: ParsedFireFilter): ParsedFireFilter & { readonly from: Date } {
  if (filter.from) return { ...filter, from: filter.from };
  const days = filter.schedule || filter.pipelineId ? DEFAULT_SUM_DAYS.one : DEFAULT_SUM_DAYS.project;
  return { ...filter, from: new Date((filter.to ?? clock.now()).getTime() - days * DAY_MS) };
}

async function countOwed(ctx: Pick<Ctx, "db">, filter: ParsedFireFilter): Promise<number | null> {
  const rows = await ctx.db
    .select()
    .from(owedFires)
    .where(
      and(
        eq(owedFires.projectId, filter.projectId),
        filter.schedule ? eq(owedFires.scheduleId, filter.schedule) : undefined,
        filter.pipelineId ? eq(owedFires.pipelineId, filter.pipelineId) : undefined,
      ),
    );
  return countWithin(
    rows.map((row) => ({ timing: timingOf(row), after: row.cursorAt, until: row.untilAt })),
    filter,
  );
}

/** Fires of the schedules as they are now, up to where the leader has judged them; an older version's are in the ledger alone. */
function countExpected(rows: readonly ScheduleRow[], filter: ParsedFireFilter): number | null {
  return countWithin(
    rows.map((row) => ({ timing: timingOf(row), after: row.activeFrom, until: row.cursorAt })),
    filter,
  );
}

interface Stretch {
  readonly timing: ScheduleTiming;
  readonly after: Date;
  readonly until: Date;
}

/** Fires with after < fire ≤ until and from ≤ fire < to; null where they are too many. */
function countWithin(stretches: readonly Stretch[], filter: ParsedFireFilter): number | null {
  let total = 0;
  for (const { timing, after, until } of stretches) {
    const from = new Date(Math.max(after.getTime(), (filter.from?.getTime() ?? 0) - 1));
    const to = new Date(Math.min(until.getTime(), (filter.to?.getTime() ?? Number.POSITIVE_INFINITY) - 1));
    total += firesBetween(timing, from, to, MOST_COUNTED + 1 - total).length;
    if (total > MOST_COUNTED) return null;
  }
  return total;
}
