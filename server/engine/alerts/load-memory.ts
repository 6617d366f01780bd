import { and, desc, eq, gt, isNull, notInArray, or, sql } from "drizzle-orm";
import type { Executor, Tx } from "@/db/client";
import { alertChannels, alertPolicies, alertReceipts, alerts, silences } from "@/db/schema/alerts";
import { textArray } from "@/db/statements/array";
import type { Grade } from "@/server/domain/alert/grade";
import type { AlertKind, AlertMemory, Occurrence, OpenAlert, Silence, Suppressor, SuppressorKind } from "@/server/domain/alert/model";
import { type AlertPolicy, policySchema, SHIPPED_POLICY } from "@/server/domain/alert/policy";
import { BATCH_ABOVE, BATCH_WINDOW_MS } from "@/server/domain/alert/suppress";
import type { Ctx } from "@/server/engine/context";

const MOST_OPEN = 2_000;
const MOST_FAILED = 200;

/** The policy in force, and which save it is; 0 is the shipped one. */
export async function policyOf(
  db: Executor,
  projectId: string,
): Promise<{ policy: AlertPolicy; revision: number; savedBy: string | null; savedAt: Date | null }> {
  const [row] = await db
    .select()
    .from(alertPolicies)
    .where(eq(alertPolicies.projectId, projectId))
    .orderBy(desc(alertPolicies.revision))
    .limit(1);
  if (!row) return { policy: SHIPPED_POLICY, revision: 0, savedBy: null, savedAt: null };
  // One that this release no longer reads, as of a zone that is gone, must keep nobody from being told (B06).
  const policy = policySchema.safeParse(row.policy).data ?? SHIPPED_POLICY;
  return { policy, revision: row.revision, savedBy: row.savedBy, savedAt: row.savedAt };
}

type AlertRow = typeof alerts.$inferSelect;

export const openAlertOf = (row: AlertRow): OpenAlert => ({
  id: row.id,
  no: row.no,
  key: row.key,
  kind: row.kind as AlertKind,
  code: row.code,
  grade: row.grade as Grade,
  count: row.count,
  lastAt: row.lastAt,
  sentAt: row.sentAt,
  suppressed: suppressorOf(row.suppressed),
  acknowledgedBy: row.acknowledgedBy,
  pipelineId: row.pipelineId,
});

export const suppressorOf = (stored: AlertRow["suppressed"]): Suppressor | null =>
  stored && {
    kind: stored.kind as SuppressorKind,
    ref: stored.ref,
    label: stored.label,
    until: stored.until === null ? null : new Date(stored.until),
  };

export const silenceOf = (row: typeof silences.$inferSelect): Silence => ({
  id: row.id,
  no: row.no,
  pattern: row.pattern,
  pipelineId: row.pipelineId,
  reason: row.reason,
  author: row.author,
  startsAt: row.startsAt,
  endsAt: row.endsAt,
});

/** All that the pipeline decides by in a project. Its open alerts are locked: nobody resolves one that is just added to. */
export async function loadMemory(
  ctx: Ctx,
  tx: Tx,
  projectId: string,
  more: { readonly now: Date; readonly policy: AlertPolicy; readonly occurrences: readonly Occurrence[] },
): Promise<AlertMemory> {
  const { now, policy, occurrences } = more;
  const rows = await tx
    .select()
    .from(alerts)
    .where(and(eq(alerts.projectId, projectId), isNull(alerts.resolvedAt)))
    .orderBy(desc(alerts.lastAt))
    .limit(MOST_OPEN)
    .for("update");
  const inForce = await tx
    .select()
    .from(silences)
    .where(and(eq(silences.projectId, projectId), gt(silences.endsAt, now)));
  const channels = await tx
    .select({ channelId: alertChannels.id, enabled: alertChannels.enabled, grade: alertChannels.grade, pattern: alertChannels.pattern })
    .from(alertChannels)
    .where(and(eq(alertChannels.projectId, projectId), isNull(alertChannels.deletedAt)));
  const [last] = await tx
    .select({ no: sql<number>`coalesce(max(${alerts.no}), 0)` })
    .from(alerts)
    .where(eq(alerts.projectId, projectId));
  return {
    now,
    policy,
    silences: inForce.map(silenceOf),
    routes: channels.map((route) => ({ ...route, grade: route.grade as Grade })),
    open: rows.map(openAlertOf),
    tasks: await knownTasks(tx, projectId, occurrences),
    failed: await failedBefore(tx, projectId, occurrences, now),
    nextNo: (last?.no ?? 0) + 1,
    newId: () => ctx.ids.uuid(now),
  };
}

/** Tasks of these that an open alert speaks of, as long as they have not gone well since; one that was told of counts first. */
async function knownTasks(tx: Tx, projectId: string, occurrences: readonly Occurrence[]): Promise<Map<string, string>> {
  const tasks = [...new Set(occurrences.map(({ object }) => object.task))];
  if (tasks.length === 0) return new Map();
  const rows = await tx
    .select({ task: alertReceipts.task, alertId: alertReceipts.alertId })
    .from(alertReceipts)
    .innerJoin(alerts, eq(alerts.id, alertReceipts.alertId))
    .where(
      and(
        eq(alertReceipts.projectId, projectId),
        sql`${alertReceipts.task} = any(${textArray(tasks)}::text[])`,
        isNull(alertReceipts.recoveredAt),
        isNull(alerts.resolvedAt),
      ),
    )
    .orderBy(sql`${alerts.sentAt} is not null`, alertReceipts.id);
  return new Map(rows.map(({ task, alertId }) => [task, alertId]));
}

/** What failed within the batch window, and before it in the runs of these; a batch needs no more than a few. */
async function failedBefore(tx: Tx, projectId: string, occurrences: readonly Occurrence[], now: Date) {
  const runIds = [...new Set(occurrences.flatMap(({ object, kind }) => (kind === "failure" && object.runId ? [object.runId] : [])))];
  if (runIds.length === 0) return [];
  const failed = { task: alertReceipts.task, runId: alertReceipts.runId };
  const counted = and(
    eq(alertReceipts.projectId, projectId),
    isNull(alertReceipts.recoveredAt),
    or(isNull(alertReceipts.suppressedBy), notInArray(alertReceipts.suppressedBy, ["silence", "inhibition"])),
    sql`${alertReceipts.runId} is not null`,
    isNull(alerts.resolvedAt),
  );
  const look = (of: ReturnType<typeof and>, limit: number) =>
    tx
      .selectDistinct(failed)
      .from(alertReceipts)
      .innerJoin(alerts, eq(alerts.id, alertReceipts.alertId))
      .where(and(counted, of))
      .limit(limit);
  const recent = await look(gt(alertReceipts.at, new Date(now.getTime() - BATCH_WINDOW_MS)), MOST_FAILED);
  const before = await look(sql`${alertReceipts.runId} = any(${textArray(runIds)}::uuid[])`, runIds.length * (BATCH_ABOVE + 1));
  return [...recent, ...before].flatMap(({ task, runId }) => (runId === null ? [] : [{ task, runId }]));
}
