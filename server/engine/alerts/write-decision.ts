import { eq, inArray, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { projects } from "@/db/schema/access";
import { alertDeliveries, alertReceipts, alerts } from "@/db/schema/alerts";
import type { Grade } from "@/server/domain/alert/grade";
import type { AlertState, Decision, Notice, ReceiptChange } from "@/server/domain/alert/model";
import type { Check } from "@/server/domain/alert/silence-alarm";
import { lookAgainAt } from "@/server/domain/alert/suppress";
import { endedText } from "@/server/domain/alert/words";
import type { Ctx } from "@/server/engine/context";
import { lastFixes } from "@/server/engine/incidents/list-fixes";
import { type AlertRow, storedHeldBy, storedSuppressor } from "./alert-row";
import { type AlertMessage, nodeFacts, placesOfAlert } from "./message";

/** Rows of one statement; more parameters than Postgres takes in one would be refused. */
const ROWS = 1_000;
const MESSAGE_CHARS = 2_000;

/** Writes what was decided: alerts, a receipt of each occurrence, and the outbox. `checks` are those of silences, by task. */
export async function writeDecision(
  ctx: Ctx,
  tx: Tx,
  projectId: string,
  { decision, now, checks = new Map() }: { decision: Decision; now: Date; checks?: ReadonlyMap<string, readonly Check[]> },
): Promise<void> {
  for (const alert of decision.alerts) await writeAlert(tx, projectId, { alert, checks, now });
  const rows = decision.receipts.map(
    ({ ref, occurrence: { object, code, message, at, taskClass, health }, alertId, grade, ruleId, heldBy }) => ({
      ...{ projectId, alertId, ref, id: ctx.ids.uuid(now), task: object.task, pipelineId: object.pipelineId, runId: object.runId },
      ...{ nodeKey: object.nodeKey, code, message: message.slice(0, MESSAGE_CHARS), grade, ruleId, at },
      ...{ suppressedBy: heldBy[0]?.kind ?? null, suppressors: heldBy.length === 0 ? null : heldBy.map(storedSuppressor) },
      health: { taskClass, ...health },
    }),
  );
  for (let from = 0; from < rows.length; from += ROWS) {
    await tx
      .insert(alertReceipts)
      .values(rows.slice(from, from + ROWS))
      .onConflictDoNothing();
  }
  for (const change of decision.changes) await changeReceipts(tx, change);
  const notices = decision.notices.map(({ ended, ...notice }) => ({ ...notice, because: ended && endedText(ended) }));
  await writeNotices(ctx, tx, projectId, notices, now);
}

/**
 * The receipts of an alert that is held on are given what holds it by now. Of those that waited for their cause in vain the
 * first is the one that was sent, and the others are the same code again. Index: alert_receipts_alert.
 */
async function changeReceipts(tx: Tx, { alertId, heldBy, newly }: ReceiptChange): Promise<void> {
  const [whole, added] = [heldBy, newly].map((each) => JSON.stringify(each.map(storedSuppressor)));
  const waiting = sql`alert_id = ${alertId} and suppressed_by = 'grace'`;
  if (heldBy.length > 0) {
    await tx.execute(sql`
      update alert_receipts set suppressors = case when suppressed_by = 'grace' then ${whole}::jsonb else coalesce(suppressors, '[]') || ${added}::jsonb end,
        suppressed_by = case when suppressed_by = 'grace' then ${heldBy[0]?.kind}::text else suppressed_by end
      where alert_id = ${alertId} and suppressed_by is not null
    `);
    return;
  }
  await tx.execute(sql`
    update alert_receipts r set suppressed_by = case when r.id = f.id then null else 'code' end,
      suppressors = case when r.id = f.id then null else jsonb_build_array(jsonb_build_object('kind', 'code', 'ref', f.alert_id, 'data', jsonb_build_object('no', f.no), 'until', null)) end
    from (select a.id as alert_id, a.no, (select id from alert_receipts where ${waiting} order by id limit 1) as id from alerts a where a.id = ${alertId}) f
    where r.alert_id = f.alert_id and r.suppressed_by = 'grace'
  `);
}

interface Written {
  readonly alert: AlertState;
  readonly checks: ReadonlyMap<string, readonly Check[]>;
  readonly now: Date;
}

async function writeAlert(tx: Tx, projectId: string, { alert, checks, now }: Written): Promise<void> {
  const { face } = alert;
  const changed = {
    grade: alert.grade,
    count: alert.count,
    lastAt: alert.lastAt,
    sentAt: alert.sentAt,
    suppressed: storedHeldBy(alert.heldBy),
    lookAt: lookAgainAt(alert.heldBy, now),
    parts: storedParts(alert.parts),
    ...(face && {
      ruleId: face.ruleId,
      message: face.message.slice(0, MESSAGE_CHARS),
      pipelineId: face.object.pipelineId,
      runId: face.object.runId,
      nodeKey: face.object.nodeKey,
      label: face.object.label,
      owner: face.object.owner,
      actionRequired: face.actionRequired,
      checks: [...(checks.get(face.object.task) ?? [])],
    }),
  };
  if (!alert.isNew) {
    await tx.update(alerts).set(changed).where(eq(alerts.id, alert.id));
    return;
  }
  if (!face) throw new Error("a new alert that shows nothing");
  const { id, no, key, kind, code } = alert;
  await tx
    .insert(alerts)
    .values({ id, projectId, no, key, kind, code, message: face.message, label: face.object.label, firstAt: alert.firstAt, ...changed });
}

/** So many codes of a batch are kept; a cause is among the first of them. */
const MOST_PARTS = 50;

function storedParts(parts: AlertState["parts"]) {
  const spans = Object.entries(parts).slice(0, MOST_PARTS);
  if (spans.length === 0) return null;
  return Object.fromEntries(spans.map(([code, { from, to }]) => [code, { from: from.toISOString(), to: to.toISOString() }]));
}

/** What is to be told: an alert, to which channels, and why now. */
interface Telling extends Omit<Notice, "ended"> {
  readonly because: string | null;
}

/** One row a channel for each telling: the next number of the alert makes it that telling's only one. */
export async function writeNotices(ctx: Ctx, tx: Tx, projectId: string, notices: readonly Telling[], now: Date): Promise<void> {
  if (notices.length === 0) return;
  const [project] = await tx.select({ title: projects.title }).from(projects).where(eq(projects.id, projectId));
  const ids = notices.map(({ alertId }) => alertId);
  const rows = await tx
    .update(alerts)
    .set({ notices: sql`${alerts.notices} + 1` })
    .where(inArray(alerts.id, ids))
    .returning();
  const told = new Map(rows.map((row) => [row.id, row]));
  for (const notice of notices) {
    const row = told.get(notice.alertId);
    if (!row) throw new Error(`alert ${notice.alertId} is told of and was not written`);
    const message = await messageOf(tx, row, notice, project?.title ?? "");
    await tx.insert(alertDeliveries).values(
      notice.channelIds.map((channelId) => ({
        ...{ id: ctx.ids.uuid(now), projectId, channelId, alertId: row.id, notice: row.notices, message },
        ...{ nextAt: now, createdAt: now },
      })),
    );
  }
}

async function messageOf(tx: Tx, row: AlertRow, { cause, because }: Telling, project: string): Promise<AlertMessage> {
  const facts = row.runId === null || row.nodeKey === null ? [] : await nodeFacts(tx, row.runId, row.nodeKey);
  const fixes = await lastFixes(tx, row.projectId, { code: row.code, limit: 1 });
  const fixed = fixes.map(({ fix, no }) => `what fixed it last time (incident #${no}): ${fix}`);
  const checks = (row.checks ?? []).map(({ check, ok, evidence }) => `${ok ? "✓" : "✗"} ${check}: ${evidence}`);
  return {
    ...{ kind: "alert", alertId: row.id, no: row.no, grade: row.grade as Grade, project, title: titleOf(row), code: row.code },
    ...{ message: row.message, object: row.label, owner: row.owner, count: row.count, because: because ?? reasonOf(row, cause) },
    ...{
      at: row.lastAt.toISOString(),
      path: `/alerts?alert=${row.id}`,
      actionRequired: row.actionRequired,
      facts: [...checks, ...fixed, ...facts],
      places: placesOfAlert(row),
    },
  };
}

function titleOf({ kind, label, count }: AlertRow): string {
  switch (kind) {
    case "batch":
      return `Suspected batch failure: ${count} failed nodes`;
    case "silence":
      return `Silent: ${label}`;
    default:
      return `Failed: ${label}`;
  }
}

function reasonOf({ count, grade }: AlertRow, cause: Notice["cause"]): string | null {
  if (cause === "repeated") return `it has occurred ${count} times by now`;
  return cause === "raised" ? `it is ${grade} now` : null;
}
