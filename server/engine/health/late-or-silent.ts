import { and, asc, desc, eq, gte, inArray, isNull, lt, or } from "drizzle-orm";
import { fires, pipelines, schedules } from "@/db/schema/pipelines";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export interface LateOrSilent {
  /** `silent`: it should have fired and there is no line of it. `unreadable`: it fires no more. Else the ledger's verdict. */
  readonly kind: "silent" | "unreadable" | "late" | "caught_up" | "skipped" | "missed";
  readonly schedule: { readonly id: string; readonly name: string; readonly timezone: string };
  readonly pipeline: { readonly id: string; readonly name: string; readonly title: string; readonly owner: string };
  /** The fire; of an unreadable schedule, when it was set aside. */
  readonly at: Date;
  readonly lateMs: number;
  readonly reason: string | null;
  /** How many of the same schedule and kind stand behind this line. */
  readonly count: number;
}

const LOOK_BACK_MS = 24 * 3_600_000;
/** A schedule that is due for so long without a line in the ledger is silent. */
const SILENT_AFTER_MS = 30_000;
const MOST_FIRES = 1_000;
const MOST_LINES = 50;

/** What did not start as it should have within the last day, by schedule, the gravest first. */
export async function lateOrSilent(ctx: Ctx, projectId: string): Promise<LateOrSilent[]> {
  authorise(ctx, projectId, "project.read");
  const now = ctx.clock.now();
  const [silent, ledger] = await Promise.all([findSilent(ctx, projectId, now), findLate(ctx, projectId, now)]);
  return [...silent, ...ledger].slice(0, MOST_LINES);
}

const pipelineColumns = { id: pipelines.id, name: pipelines.name, title: pipelines.title, owner: pipelines.owner };
const scheduleColumns = { id: schedules.id, name: schedules.name, timezone: schedules.timezone };

async function findSilent(ctx: Ctx, projectId: string, now: Date): Promise<LateOrSilent[]> {
  const rows = await ctx.db
    .select({
      schedule: scheduleColumns,
      pipeline: pipelineColumns,
      health: schedules.health,
      reason: schedules.healthReason,
      nextFireAt: schedules.nextFireAt,
      updatedAt: schedules.updatedAt,
    })
    .from(schedules)
    .innerJoin(pipelines, eq(pipelines.id, schedules.pipelineId))
    .where(
      and(
        eq(schedules.projectId, projectId),
        eq(schedules.enabled, true),
        isNull(schedules.removedAt),
        eq(pipelines.enabled, true),
        isNull(pipelines.deletedAt),
        isNull(pipelines.archivedAt),
        or(eq(schedules.health, "ERROR"), lt(schedules.nextFireAt, new Date(now.getTime() - SILENT_AFTER_MS))),
      ),
    )
    .orderBy(asc(schedules.health), asc(schedules.nextFireAt))
    .limit(MOST_LINES);
  return rows.map(({ schedule, pipeline, health, reason, nextFireAt, updatedAt }) => {
    const unreadable = health === "ERROR";
    const at = unreadable ? updatedAt : (nextFireAt ?? updatedAt);
    return { kind: unreadable ? "unreadable" : "silent", schedule, pipeline, at, lateMs: now.getTime() - at.getTime(), reason, count: 1 };
  });
}

async function findLate(ctx: Ctx, projectId: string, now: Date): Promise<LateOrSilent[]> {
  const rows = await ctx.db
    .select({
      schedule: scheduleColumns,
      pipeline: pipelineColumns,
      verdict: fires.verdict,
      fireAt: fires.fireAt,
      lateMs: fires.lateMs,
      reason: fires.reason,
    })
    .from(fires)
    .innerJoin(schedules, eq(schedules.id, fires.scheduleId))
    .innerJoin(pipelines, eq(pipelines.id, fires.pipelineId))
    .where(
      and(
        eq(fires.projectId, projectId),
        gte(fires.fireAt, new Date(now.getTime() - LOOK_BACK_MS)),
        inArray(fires.verdict, ["late", "caught_up", "skipped", "missed"]),
        isNull(pipelines.deletedAt),
      ),
    )
    .orderBy(desc(fires.fireAt))
    .limit(MOST_FIRES);
  const lines = new Map<string, LateOrSilent>();
  for (const { verdict, fireAt, ...row } of rows) {
    const kind = verdict as LateOrSilent["kind"];
    const key = `${row.schedule.id} ${kind}`;
    const line = lines.get(key);
    lines.set(key, line ? { ...line, count: line.count + 1 } : { ...row, kind, at: fireAt, count: 1 });
  }
  const gravity: readonly LateOrSilent["kind"][] = ["missed", "skipped", "caught_up", "late"];
  return [...lines.values()].sort((a, b) => gravity.indexOf(a.kind) - gravity.indexOf(b.kind));
}
