import { and, asc, eq, isNull, lte } from "drizzle-orm";
import { pipelines, schedules } from "@/db/schema/pipelines";
import { type DueInstant, findUpcomingDue } from "@/db/statements/upcoming-due";
import type { Ctx } from "@/server/engine/context";
import { END_GRACE_MS } from "@/server/engine/runs/recover";

export interface ScheduleTimer {
  readonly id: string;
  readonly version: number;
  readonly atMs: number;
}

export interface UpcomingTimers {
  /** One per schedule: its next fire, which may have passed. */
  readonly schedules: readonly ScheduleTimer[];
  /** Moments at which a retry, a wait, a time-out or a deadline is due. */
  readonly due: readonly DueInstant[];
}

/** What the wheel has to know up to an instant; farther rows stay in Postgres. */
export async function upcomingTimers(ctx: Pick<Ctx, "db" | "clock">, until: Date): Promise<UpcomingTimers> {
  const [rows, due] = await Promise.all([
    ctx.db
      .select({ id: schedules.id, version: schedules.version, nextFireAt: schedules.nextFireAt })
      .from(schedules)
      .innerJoin(pipelines, eq(pipelines.id, schedules.pipelineId))
      .where(
        and(
          eq(schedules.enabled, true),
          isNull(schedules.removedAt),
          eq(schedules.health, "OK"),
          lte(schedules.nextFireAt, until),
          eq(pipelines.enabled, true),
          isNull(pipelines.deletedAt),
          isNull(pipelines.archivedAt),
        ),
      )
      .orderBy(asc(schedules.nextFireAt)),
    findUpcomingDue(ctx.db, ctx.clock.now(), until, END_GRACE_MS),
  ]);
  return {
    schedules: rows.flatMap(({ id, version, nextFireAt }) => (nextFireAt ? [{ id, version, atMs: nextFireAt.getTime() }] : [])),
    due,
  };
}
