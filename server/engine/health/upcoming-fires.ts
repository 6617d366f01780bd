import { and, eq, isNull, lte } from "drizzle-orm";
import { pipelines, schedules } from "@/db/schema/pipelines";
import { firesBetween } from "@/server/domain/schedule/next-fires";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { timingOf } from "@/server/engine/schedules/schedule-row";

export interface UpcomingFire {
  readonly fireAt: Date;
  readonly schedule: { readonly id: string; readonly name: string; readonly timezone: string };
  readonly pipeline: { readonly id: string; readonly name: string; readonly title: string };
}

export interface UpcomingFires {
  readonly items: readonly UpcomingFire[];
  /** There are more than are named. */
  readonly more: boolean;
}

const MOST = 100;

/** What fires next in a project, soonest first. */
export async function upcomingFires(ctx: Ctx, projectId: string, hours: number): Promise<UpcomingFires> {
  authorise(ctx, projectId, "project.read");
  const now = ctx.clock.now();
  const until = new Date(now.getTime() + hours * 3_600_000);
  const rows = await ctx.db
    .select({ schedule: schedules, pipeline: { id: pipelines.id, name: pipelines.name, title: pipelines.title } })
    .from(schedules)
    .innerJoin(pipelines, eq(pipelines.id, schedules.pipelineId))
    .where(
      and(
        eq(schedules.projectId, projectId),
        eq(schedules.enabled, true),
        eq(schedules.health, "OK"),
        isNull(schedules.removedAt),
        eq(pipelines.enabled, true),
        isNull(pipelines.deletedAt),
        isNull(pipelines.archivedAt),
        lte(schedules.nextFireAt, until),
      ),
    );
  const all = rows.flatMap(({ schedule, pipeline }) =>
    firesBetween(timingOf(schedule), now, until, MOST + 1).map((fireAt): UpcomingFire => {
      const { id, name, timezone } = schedule;
      return { fireAt, schedule: { id, name, timezone }, pipeline };
    }),
  );
  all.sort((a, b) => a.fireAt.getTime() - b.fireAt.getTime() || a.pipeline.name.localeCompare(b.pipeline.name));
  return { items: all.slice(0, MOST), more: all.length > MOST };
}
