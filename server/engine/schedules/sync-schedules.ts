import { and, asc, desc, eq, lt } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { pipelineVersions, schedules } from "@/db/schema/pipelines";
import { notifySchedules } from "@/db/statements/fires/notify-schedules";
import { canonicalJson } from "@/server/domain/canonical-json";
import type { ScheduleDefinition } from "@/server/domain/pipeline/definition";
import type { Ctx } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { closeVersion } from "./close-version";
import { definedColumns, nextFireAfter, type ScheduleRow, switched } from "./schedule-row";

export interface ScheduleSync {
  readonly projectId: string;
  readonly pipelineId: string;
  /** Whether the pipeline itself is on. */
  readonly pipelineOn: boolean;
  /** Number of the version that is being published. */
  readonly versionNo: number;
  readonly schedules: readonly ScheduleDefinition[];
}

/** Names, by what happened to them. */
export interface SyncReport {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
}

/**
 * Makes the schedules of a pipeline those of the version that is being published, in the publishing transaction. A changed
 * one begins anew from now: an edit creates no fire in its past (B24), and what was due before it is accounted for under
 * the version that expected it. Rows that did not change are not touched.
 */
export async function syncSchedules(ctx: Pick<Ctx, "clock" | "ids">, tx: Tx, input: ScheduleSync): Promise<SyncReport> {
  const rows = await tx
    .select()
    .from(schedules)
    .where(eq(schedules.pipelineId, input.pipelineId))
    .orderBy(asc(schedules.id))
    .for("no key update");
  // After the locks were had: what the leader has fired until then is behind it.
  const now = await storedNow(ctx, tx);
  const byName = new Map(rows.map((row) => [row.name, row]));
  const wanted = new Set(input.schedules.map((schedule) => schedule.name));
  const before = await enabledBefore(tx, input);
  const report = { added: [] as string[], changed: [] as string[], removed: [] as string[], unchanged: [] as string[] };

  for (const schedule of input.schedules) {
    const row = byName.get(schedule.name);
    if (!row) {
      await insertSchedule(ctx, tx, input, schedule, now);
      report.added.push(schedule.name);
      continue;
    }
    const changed = await updateSchedule(ctx, tx, row, schedule, { before: before.get(schedule.name), pipelineOn: input.pipelineOn, now });
    report[row.removedAt ? "added" : changed ? "changed" : "unchanged"].push(schedule.name);
  }
  for (const row of rows) {
    if (row.removedAt || wanted.has(row.name)) continue;
    await closeVersion(ctx, tx, row, { reason: "removed", now, pipelineOn: input.pipelineOn });
    await tx
      .update(schedules)
      .set({ removedAt: now, nextFireAt: null, version: row.version + 1, updatedAt: now })
      .where(eq(schedules.id, row.id));
    report.removed.push(row.name);
  }
  if (report.unchanged.length < input.schedules.length || report.removed.length > 0) await notifySchedules(tx, input.pipelineId);
  return report;
}

async function insertSchedule(ctx: Pick<Ctx, "ids">, tx: Tx, input: ScheduleSync, schedule: ScheduleDefinition, now: Date): Promise<void> {
  const columns = definedColumns(schedule);
  await tx.insert(schedules).values({
    id: ctx.ids.uuid(),
    projectId: input.projectId,
    pipelineId: input.pipelineId,
    name: schedule.name,
    ...columns,
    enabled: schedule.enabled,
    activeFrom: now,
    cursorAt: now,
    nextFireAt: nextFireAfter(columns, now),
    updatedAt: now,
  });
}

/**
 * Whether a switch in the text is followed: only where the author moved it. Otherwise a schedule that someone switched off
 * in the console would be switched on again by the next publish of something else.
 */
async function updateSchedule(
  ctx: Pick<Ctx, "ids">,
  tx: Tx,
  row: ScheduleRow,
  schedule: ScheduleDefinition,
  { before, pipelineOn, now }: { readonly before: boolean | undefined; readonly pipelineOn: boolean; readonly now: Date },
): Promise<boolean> {
  const columns = definedColumns(schedule);
  const enabled = row.removedAt !== null || before !== schedule.enabled ? schedule.enabled : row.enabled;
  if (row.removedAt === null && !differs(row, columns)) {
    if (enabled === row.enabled) return false;
    await tx
      .update(schedules)
      .set({ ...switched(row, enabled, now, pipelineOn), updatedAt: now })
      .where(eq(schedules.id, row.id));
    return true;
  }
  if (row.removedAt === null) await closeVersion(ctx, tx, row, { reason: "edited", now, pipelineOn });
  await tx
    .update(schedules)
    .set({
      ...columns,
      enabled,
      version: row.version + 1,
      health: "OK",
      healthReason: null,
      activeFrom: now,
      cursorAt: now,
      nextFireAt: nextFireAfter(columns, now),
      removedAt: null,
      updatedAt: now,
    })
    .where(eq(schedules.id, row.id));
  return true;
}

const differs = (row: ScheduleRow, columns: ReturnType<typeof definedColumns>): boolean =>
  Object.entries(columns).some(([key, value]) => canonicalJson(value) !== canonicalJson(row[key as keyof typeof columns]));

async function enabledBefore(tx: Tx, input: ScheduleSync): Promise<ReadonlyMap<string, boolean>> {
  const [previous] = await tx
    .select({ definition: pipelineVersions.definition })
    .from(pipelineVersions)
    .where(and(eq(pipelineVersions.pipelineId, input.pipelineId), lt(pipelineVersions.no, input.versionNo)))
    .orderBy(desc(pipelineVersions.no))
    .limit(1);
  const definition = previous?.definition as { spec?: { schedules?: readonly { name: string; enabled?: boolean }[] } } | undefined;
  return new Map((definition?.spec?.schedules ?? []).map(({ name, enabled }) => [name, enabled ?? true]));
}
