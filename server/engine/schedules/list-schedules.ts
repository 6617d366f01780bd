import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { pipelines, schedules } from "@/db/schema/pipelines";
import { parseInput } from "@/server/domain/input";
import { idCursorSchema, type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import type { CronDialect, FoldPolicy, GapPolicy, MisfirePolicy, OverlapPolicy } from "@/server/domain/pipeline/definition";
import { inWords, WORD_LOCALES, type WordLocale } from "@/server/domain/schedule/in-words";
import { nextFires } from "@/server/domain/schedule/next-fires";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { timingOf } from "./schedule-row";

export const scheduleFilterSchema = z.strictObject({
  projectId: z.uuid(),
  pipelineId: z.uuid().optional(),
  /** How many coming fires to name. */
  next: z.int().min(0).max(10).default(3),
  cursor: idCursorSchema.optional(),
  limit: pageLimitSchema,
});
export type ScheduleFilter = z.input<typeof scheduleFilterSchema>;

export interface ScheduleView {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly pipeline: {
    readonly id: string;
    readonly name: string;
    readonly title: string;
    readonly owner: string;
    readonly enabled: boolean;
  };
  readonly expression: string;
  readonly dialect: CronDialect;
  readonly timezone: string;
  readonly words: Readonly<Record<WordLocale, string>>;
  readonly misfire: MisfirePolicy;
  readonly overlap: OverlapPolicy;
  readonly gap: GapPolicy;
  readonly fold: FoldPolicy;
  readonly enabled: boolean;
  readonly health: "OK" | "ERROR";
  readonly healthReason: string | null;
  readonly nextFireAt: Date | null;
  readonly nextFires: readonly Date[];
  readonly lastFire: {
    readonly fireAt: Date;
    readonly verdict: string;
    readonly reason: string | null;
    readonly runId: string | null;
  } | null;
}

interface LastFire {
  readonly fireAt: string;
  readonly verdict: string;
  readonly reason: string | null;
  readonly runId: string | null;
}

/** Schedules of a project, of its living pipelines, with what each says and when it fires next. */
export async function listSchedules(ctx: Ctx, input: ScheduleFilter): Promise<Page<ScheduleView>> {
  const filter = parseInput(scheduleFilterSchema, input);
  authorise(ctx, filter.projectId, "project.read");
  const lastFire = sql<LastFire | null>`(
    select jsonb_build_object('fireAt', f.fire_at, 'verdict', f.verdict, 'reason', f.reason, 'runId', f.run_id)
    from fires f where f.schedule_id = ${schedules.id} order by f.fire_at desc limit 1)`;
  const rows = await ctx.db
    .select({ schedule: schedules, pipeline: pipelines, lastFire })
    .from(schedules)
    .innerJoin(pipelines, eq(pipelines.id, schedules.pipelineId))
    .where(
      and(
        eq(schedules.projectId, filter.projectId),
        isNull(schedules.removedAt),
        isNull(pipelines.deletedAt),
        filter.pipelineId ? eq(schedules.pipelineId, filter.pipelineId) : undefined,
        filter.cursor ? gt(schedules.id, filter.cursor) : undefined,
      ),
    )
    .orderBy(asc(schedules.id))
    .limit(filter.limit + 1);
  const now = ctx.clock.now();
  return pageOf(
    rows,
    filter.limit,
    ({ schedule }) => schedule.id,
    (row) => viewOf(row, now, filter.next),
  );
}

function viewOf(
  row: { schedule: typeof schedules.$inferSelect; pipeline: typeof pipelines.$inferSelect; lastFire: LastFire | null },
  now: Date,
  next: number,
): ScheduleView {
  const { schedule, pipeline, lastFire } = row;
  const timing = timingOf(schedule);
  const fires = schedule.health === "OK" && schedule.enabled && pipeline.enabled;
  return {
    id: schedule.id,
    name: schedule.name,
    version: schedule.version,
    pipeline: { id: pipeline.id, name: pipeline.name, title: pipeline.title, owner: pipeline.owner, enabled: pipeline.enabled },
    expression: timing.cron,
    dialect: timing.dialect,
    timezone: timing.timezone,
    words: wordsOf(timing.cron, timing.dialect),
    misfire: schedule.misfire as MisfirePolicy,
    overlap: schedule.overlap as OverlapPolicy,
    gap: timing.gap,
    fold: timing.fold,
    enabled: schedule.enabled,
    health: schedule.health === "OK" ? "OK" : "ERROR",
    healthReason: schedule.healthReason,
    nextFireAt: fires ? schedule.nextFireAt : null,
    nextFires: fires ? nextFires(timing, now, next) : [],
    lastFire: lastFire && { ...lastFire, fireAt: new Date(lastFire.fireAt) },
  };
}

function wordsOf(expression: string, dialect: CronDialect): Record<WordLocale, string> {
  const [en, zh] = WORD_LOCALES.map((locale) => inWords(expression, dialect, locale));
  return { en: en ?? expression, "zh-CN": zh ?? expression };
}
