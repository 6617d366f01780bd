import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { fires, pipelines, schedules } from "@/db/schema/pipelines";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { type Page, pageOf } from "@/server/domain/paging";
import type { FireVerdict } from "@/server/domain/schedule/verdict";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type FireFilter, fireFilterSchema, inFilter } from "./fire-filter";
import { type FireSums, sumFires } from "./sum-fires";

export interface FireView {
  readonly id: string;
  readonly schedule: { readonly id: string; readonly name: string; readonly version: number; readonly timezone: string };
  readonly pipeline: { readonly id: string; readonly name: string; readonly title: string };
  readonly fireAt: Date;
  readonly verdict: FireVerdict;
  readonly reason: string | null;
  readonly lateMs: number;
  readonly runId: string | null;
  readonly duplicatesRefused: number;
  readonly createdAt: Date;
}

export interface FireLedger extends Page<FireView> {
  /** Of all that the filter means, and on the first page alone: the next ones would only count the same again. */
  readonly sums: FireSums | null;
}

/** The fire ledger, newest first, with the line that shows that it adds up: expected = sum of verdicts (SCH-5). */
export async function listFires(ctx: Ctx, input: FireFilter): Promise<FireLedger> {
  const filter = parseInput(fireFilterSchema, input);
  authorise(ctx, filter.projectId, "project.read");
  const rows = await ctx.db
    .select({ fire: fires, schedule: schedules, pipeline: pipelines })
    .from(fires)
    .innerJoin(schedules, eq(schedules.id, fires.scheduleId))
    .innerJoin(pipelines, eq(pipelines.id, fires.pipelineId))
    .where(and(inFilter(filter), filter.verdict ? eq(fires.verdict, filter.verdict) : undefined, olderThan(filter.cursor)))
    .orderBy(desc(fires.fireAt), desc(fires.id))
    .limit(filter.limit + 1);
  const page = pageOf(
    rows,
    filter.limit,
    ({ fire }) => `${fire.fireAt.getTime()}_${fire.id}`,
    ({ fire, schedule, pipeline }): FireView => ({
      id: fire.id,
      schedule: { id: schedule.id, name: schedule.name, version: fire.scheduleVersion, timezone: schedule.timezone },
      pipeline: { id: pipeline.id, name: pipeline.name, title: pipeline.title },
      fireAt: fire.fireAt,
      verdict: fire.verdict as FireVerdict,
      reason: fire.reason,
      lateMs: fire.lateMs,
      runId: fire.runId,
      duplicatesRefused: fire.duplicatesRefused,
      createdAt: fire.createdAt,
    }),
  );
  return { ...page, sums: filter.cursor === undefined ? await sumFires(ctx, filter) : null };
}

const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})$/;

function olderThan(cursor: string | undefined): SQL | undefined {
  if (cursor === undefined) return undefined;
  const [, ms, id] = CURSOR.exec(cursor) ?? [];
  if (!ms || !id) {
    throw new DomainError("invalid_input", `cursor: "${cursor}" is not one that this list gave; leave it out to begin at the newest`, {
      issues: [{ path: "cursor", code: "cursor", message: "not a cursor of this list" }],
    });
  }
  return sql`(${fires.fireAt}, ${fires.id}) < (${new Date(Number(ms)).toISOString()}::timestamptz, ${id}::uuid)`;
}
