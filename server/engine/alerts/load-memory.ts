import { and, desc, eq, gt, isNull, notInArray, or, sql } from "drizzle-orm";
import type { Executor, Tx } from "@/db/client";
import { alertChannels, alertPolicies, alertReceipts, alerts, silences } from "@/db/schema/alerts";
import { textArray } from "@/db/statements/array";
import { keyOf } from "@/server/domain/alert/book";
import type { Grade } from "@/server/domain/alert/grade";
import type { AlertMemory, Cause, Occurrence, OpenAlert, RecentAlert, Route, Silence } from "@/server/domain/alert/model";
import { type AlertPolicy, policySchema, SHIPPED_POLICY } from "@/server/domain/alert/policy";
import { BATCH_ABOVE, BATCH_WINDOW_MS, SAME_CODE_MS } from "@/server/domain/alert/suppress";
import type { Ctx } from "@/server/engine/context";
import { openAlertOf } from "./alert-row";

const MOST_FAILED = 200;
/** An inhibition reaches back no further. */
const MOST_CAUSES = 500;

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

interface Asked {
  readonly now: Date;
  readonly policy: AlertPolicy;
  readonly occurrences: readonly Occurrence[];
  /** Alerts that are asked for by themselves. */
  readonly ids?: readonly string[];
}

/**
 * All that the pipeline decides by in a project. Of its alerts those that the occurrences may belong to, by their keys, however
 * many are open; they are locked: nobody resolves one that is just added to.
 */
export async function loadMemory(ctx: Ctx, tx: Tx, projectId: string, asked: Asked): Promise<AlertMemory> {
  const { now, policy, occurrences, ids = [] } = asked;
  const tasks = await knownTasks(tx, projectId, occurrences);
  const keys = keysOf(occurrences);
  const inForce = await tx
    .select()
    .from(silences)
    .where(and(eq(silences.projectId, projectId), gt(silences.endsAt, now)));
  const [last] = await tx
    .select({ no: sql<number>`coalesce(max(${alerts.no}), 0)` })
    .from(alerts)
    .where(eq(alerts.projectId, projectId));
  return {
    now,
    policy,
    silences: inForce.map(silenceOf),
    routes: await routesOf(tx, projectId),
    open: await openOf(tx, projectId, keys, [...tasks.values(), ...ids]),
    recent: await recentOf(tx, projectId, keys, now),
    causes: await causesOf(tx, projectId, policy, now),
    tasks,
    failed: await failedBefore(tx, projectId, occurrences, now),
    nextNo: (last?.no ?? 0) + 1,
    newId: () => ctx.ids.uuid(now),
  };
}

export async function routesOf(db: Executor, projectId: string): Promise<Route[]> {
  const channels = await db
    .select({ channelId: alertChannels.id, enabled: alertChannels.enabled, grade: alertChannels.grade, pattern: alertChannels.pattern })
    .from(alertChannels)
    .where(and(eq(alertChannels.projectId, projectId), isNull(alertChannels.deletedAt)));
  return channels.map((route) => ({ ...route, grade: route.grade as Grade }));
}

/** Of every alert that an occurrence may become part of. */
const keysOf = (occurrences: readonly Occurrence[]): string[] => [
  ...new Set(
    occurrences.flatMap((each) => [keyOf(each), ...(each.object.runId === null ? [] : [`batch:${each.object.runId}`, "batch:runs"])]),
  ),
];

/** Index: alerts_open_key, the primary key. */
async function openOf(tx: Tx, projectId: string, keys: readonly string[], ids: readonly string[]): Promise<OpenAlert[]> {
  if (keys.length + ids.length === 0) return [];
  const rows = await tx
    .select()
    .from(alerts)
    .where(
      and(
        eq(alerts.projectId, projectId),
        isNull(alerts.resolvedAt),
        or(sql`${alerts.key} = any(${textArray(keys)}::text[])`, sql`${alerts.id} = any(${textArray([...new Set(ids)])}::uuid[])`),
      ),
    )
    .orderBy(alerts.id)
    .for("update");
  return rows.map(openAlertOf);
}

/** What resolved by itself a moment ago and would be told again at each turn. Index: alerts_key. */
async function recentOf(tx: Tx, projectId: string, keys: readonly string[], now: Date): Promise<Map<string, RecentAlert>> {
  if (keys.length === 0) return new Map();
  const from = new Date(now.getTime() - SAME_CODE_MS);
  const rows = await tx
    .selectDistinctOn([alerts.key], { key: alerts.key, id: alerts.id, no: alerts.no, grade: alerts.grade, sentAt: alerts.sentAt })
    .from(alerts)
    .where(
      and(
        eq(alerts.projectId, projectId),
        sql`${alerts.key} = any(${textArray(keys)}::text[])`,
        gt(alerts.resolvedAt, from),
        eq(alerts.resolvedAs, "itself"),
        gt(alerts.sentAt, from),
      ),
    )
    .orderBy(alerts.key, desc(alerts.sentAt));
  return new Map(
    rows.flatMap(({ key, sentAt, ...row }) => (sentAt ? [[key, { ...row, sentAt, grade: row.grade as Grade }] as const] : [])),
  );
}

/** What the rules name as a cause and is open, or was seen within their minutes; also as part of a batch. Index: alerts_open, alerts_last. */
async function causesOf(tx: Tx, projectId: string, { inhibitions }: AlertPolicy, now: Date): Promise<Cause[]> {
  if (inhibitions.length === 0) return [];
  const longest = Math.max(...inhibitions.map(({ minutes }) => minutes));
  const patterns = inhibitions.map(({ cause }) => cause.replaceAll("_", "\\_").replaceAll("*", "%"));
  const rows = await tx
    .select()
    .from(alerts)
    .where(
      and(
        eq(alerts.projectId, projectId),
        or(isNull(alerts.resolvedAt), gt(alerts.lastAt, new Date(now.getTime() - longest * 60_000))),
        or(eq(alerts.kind, "batch"), sql`${alerts.code} like any(${textArray([...new Set(patterns)])}::text[])`),
      ),
    )
    .orderBy(desc(alerts.lastAt))
    .limit(MOST_CAUSES);
  return rows.flatMap((row) => {
    const { kind, code, no, firstAt, lastAt, heldBy, parts } = openAlertOf(row);
    const from = heldBy.find((each) => each.kind === "inhibition");
    const spans = kind === "batch" ? Object.entries(parts) : [[code, { from: firstAt, to: lastAt }] as const];
    return spans.map(([each, span]) => ({
      code: each,
      no,
      ...span,
      open: row.resolvedAt === null,
      root: from ? String(from.data.root) : each,
    }));
  });
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
    or(isNull(alertReceipts.suppressedBy), notInArray(alertReceipts.suppressedBy, ["silence", "inhibition", "grace"])),
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
