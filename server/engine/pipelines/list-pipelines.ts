import { and, asc, inArray, isNull } from "drizzle-orm";
import { z } from "zod";
import { schedules } from "@/db/schema/pipelines";
import { recentRuns } from "@/db/statements/pipelines/recent-runs";
import { type PipelineSummaryRow, selectPipelines } from "@/db/statements/pipelines/select-pipelines";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { pipelineNameSchema, textSchema } from "@/server/domain/pipeline/definition";
import type { RunState } from "@/server/domain/run/states";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

const STRIP = 20;

export const listPipelinesSchema = z.strictObject({
  projectId: z.uuid(),
  search: textSchema(200).optional(),
  archived: z.boolean().default(false),
  /** Name of the last pipeline of the page before. */
  cursor: pipelineNameSchema.optional(),
  limit: pageLimitSchema,
});

export interface PipelineRun {
  readonly id: string;
  readonly state: RunState;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

export interface PipelineSchedule {
  readonly id: string;
  readonly name: string;
  readonly expression: string;
  readonly dialect: "vixie" | "quartz";
  readonly timezone: string;
  readonly misfire: string;
  readonly overlap: string;
  readonly enabled: boolean;
  readonly health: "OK" | "ERROR";
  readonly healthReason: string | null;
  readonly nextFireAt: Date | null;
}

export interface PipelineSummary extends Omit<PipelineSummaryRow, "managedBy"> {
  readonly managedBy: "console" | "git";
  readonly schedules: readonly PipelineSchedule[];
  /** The nearest fire of its enabled schedules; null while it is disabled or archived. */
  readonly nextFireAt: Date | null;
  readonly lastRun: PipelineRun | null;
  /** The last twenty, oldest first, as the strip shows them. */
  readonly recentRuns: readonly PipelineRun[];
}

/** The inventory: every pipeline with its owner, schedules, next fire, last runs, and what it touches (INV-1, INV-2). */
export async function listPipelines(ctx: Ctx, raw: z.input<typeof listPipelinesSchema>): Promise<Page<PipelineSummary>> {
  const { projectId, search, archived, cursor, limit } = parseInput(listPipelinesSchema, raw);
  authorise(ctx, projectId, "project.read");
  const rows = await selectPipelines(ctx.db, {
    projectId,
    archived,
    limit: limit + 1,
    ...(search ? { search } : {}),
    ...(cursor === undefined ? {} : { after: cursor }),
  });
  const page = pageOf(
    rows,
    limit,
    ({ name }) => name,
    (row) => row,
  );
  return { items: await summarise(ctx, page.items), nextCursor: page.nextCursor };
}

export async function summarise(ctx: Ctx, rows: readonly PipelineSummaryRow[]): Promise<readonly PipelineSummary[]> {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const [runs, timed] = await Promise.all([
    recentRuns(ctx.db, ids, STRIP),
    ctx.db
      .select()
      .from(schedules)
      .where(and(inArray(schedules.pipelineId, ids), isNull(schedules.removedAt)))
      .orderBy(asc(schedules.name)),
  ]);
  const runsOf = byPipeline(runs);
  const schedulesOf = byPipeline(timed);
  return rows.map((row) => summary(row, (runsOf.get(row.id) ?? []).map(toRun), (schedulesOf.get(row.id) ?? []).map(toSchedule)));
}

function byPipeline<T extends { readonly pipelineId: string }>(rows: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.pipelineId);
    if (group) group.push(row);
    else groups.set(row.pipelineId, [row]);
  }
  return groups;
}

function summary(row: PipelineSummaryRow, newestFirst: readonly PipelineRun[], own: readonly PipelineSchedule[]): PipelineSummary {
  const fires = own.flatMap(({ enabled, nextFireAt }) => (enabled && nextFireAt ? [nextFireAt.getTime()] : []));
  const fireable = row.enabled && row.archivedAt === null && fires.length > 0;
  return {
    ...row,
    managedBy: row.managedBy === "git" ? "git" : "console",
    schedules: own,
    nextFireAt: fireable ? new Date(Math.min(...fires)) : null,
    lastRun: newestFirst[0] ?? null,
    recentRuns: newestFirst.toReversed(),
  };
}

const toRun = ({
  id,
  state,
  createdAt,
  startedAt,
  endedAt,
}: {
  id: string;
  state: string;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
}): PipelineRun => ({
  id,
  state: state as RunState,
  createdAt,
  startedAt,
  endedAt,
});

const toSchedule = (row: typeof schedules.$inferSelect): PipelineSchedule => ({
  id: row.id,
  name: row.name,
  expression: row.expression,
  dialect: row.dialect as PipelineSchedule["dialect"],
  timezone: row.timezone,
  misfire: row.misfire,
  overlap: row.overlap,
  enabled: row.enabled,
  health: row.health as PipelineSchedule["health"],
  healthReason: row.healthReason,
  nextFireAt: row.nextFireAt,
});
