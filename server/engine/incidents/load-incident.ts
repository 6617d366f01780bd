import { desc, eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { alerts } from "@/db/schema/alerts";
import { incidentAlerts, incidents } from "@/db/schema/incidents";
import { pipelines } from "@/db/schema/pipelines";
import type { Grade } from "@/server/domain/alert/grade";
import type { AlertKind } from "@/server/domain/alert/model";
import { EMPTY_REVIEW, type ReviewForm, recurrenceVerdict, reviewIssues } from "@/server/domain/incident/review";
import { parseInput } from "@/server/domain/input";
import type { Ctx } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { findIncident, type IncidentRow, incidentPlaceSchema, incidentView } from "./incident-row";
import type { IncidentLine } from "./list-incidents";
import { type ActionView, actionsOf, newestReview } from "./review-row";

const MOST_ALERTS = 50;

/** What is known without asking anybody; the review shows it, and nobody types it. */
export interface ImpactFacts {
  /** From the first failure to the first message to people; null where nobody was told. */
  readonly detectionMs: number | null;
  readonly runsFailed: number;
  /** Runs of the pipeline that should have started meanwhile and came late or not at all. */
  readonly runsLate: number;
  readonly attempts: number;
  readonly codes: readonly string[];
}

/** The reviewed incident that has come back, with whose action is late (INC-6). */
export interface Recurrence {
  readonly id: string;
  readonly no: number;
  readonly closedAt: Date | null;
  readonly fix: string;
  readonly verdict: "overdue" | "pending" | "not_prevented";
  readonly actions: readonly ActionView[];
}

export interface IncidentDetails extends IncidentLine {
  readonly alerts: readonly {
    readonly id: string;
    readonly no: number;
    readonly grade: Grade;
    readonly code: string;
    readonly kind: AlertKind;
    readonly label: string;
    readonly runId: string | null;
    readonly nodeKey: string | null;
    readonly count: number;
    readonly resolvedAt: Date | null;
  }[];
  readonly facts: ImpactFacts;
  /** As saved last; revision 0 is what was filled in by itself. */
  readonly review: {
    readonly revision: number;
    readonly form: ReviewForm;
    readonly savedBy: string | null;
    readonly savedAt: Date | null;
    readonly missing: number;
  };
  readonly actions: readonly ActionView[];
  readonly recurrence: Recurrence | null;
  readonly recurredIn: { readonly id: string; readonly no: number } | null;
}

/** One incident with its facts, its people and its review. */
export async function loadIncident(ctx: Ctx, given: z.input<typeof incidentPlaceSchema>): Promise<IncidentDetails> {
  const { id } = parseInput(incidentPlaceSchema, given);
  const row = await findIncident(ctx, id);
  const now = await storedNow(ctx, ctx.db);
  const [pipeline] =
    row.pipelineId === null
      ? []
      : await ctx.db.select({ id: pipelines.id, title: pipelines.title }).from(pipelines).where(eq(pipelines.id, row.pipelineId));
  const facts = await factsOf(ctx, row);
  const review = await newestReview(ctx.db, id);
  const form = review?.form ?? { ...EMPTY_REVIEW, codes: [...facts.codes] };
  return {
    ...incidentView(row),
    pipeline: pipeline ?? null,
    alerts: await alertsOf(ctx, id),
    facts,
    review: {
      ...{ revision: review?.revision ?? 0, form, savedBy: review?.savedBy ?? null, savedAt: review?.savedAt ?? null },
      missing: reviewIssues(form).length,
    },
    actions: await actionsOf(ctx.db, id, now),
    recurrence: await recurrenceOf(ctx, row, now),
    recurredIn: await numberOf(ctx, row.recurredIn),
  };
}

async function alertsOf(ctx: Ctx, incidentId: string): Promise<IncidentDetails["alerts"]> {
  const rows = await ctx.db
    .select({
      ...{ id: alerts.id, no: alerts.no, grade: alerts.grade, code: alerts.code, label: alerts.label },
      ...{ kind: alerts.kind, runId: alerts.runId, nodeKey: alerts.nodeKey, count: alerts.count, resolvedAt: alerts.resolvedAt },
    })
    .from(incidentAlerts)
    .innerJoin(alerts, eq(alerts.id, incidentAlerts.alertId))
    .where(eq(incidentAlerts.incidentId, incidentId))
    .orderBy(desc(alerts.no))
    .limit(MOST_ALERTS);
  return rows.map((row) => ({ ...row, grade: row.grade as Grade, kind: row.kind as AlertKind }));
}

/** Counted from receipts, attempts and the ledger. Index: alert_receipts_alert, the keys of attempts, fires_project_time. */
async function factsOf(ctx: Ctx, row: IncidentRow): Promise<ImpactFacts> {
  const [found] = await ctx.db.execute<{ told_ms: number | null; runs: number; attempts: number; late: number; codes: string[] }>(sql`
    with receipts as materialized (
      select r.run_id, r.node_key, r.code from incident_alerts l join alert_receipts r on r.alert_id = l.alert_id
      where l.incident_id = ${row.id}::uuid
    ), nodes as (select distinct run_id, node_key from receipts where run_id is not null and node_key is not null)
    select
      (select (extract(epoch from min(d.created_at)) * 1000)::float8 from incident_alerts l
        join alert_deliveries d on d.alert_id = l.alert_id where l.incident_id = ${row.id}::uuid) as told_ms,
      (select count(distinct run_id)::integer from nodes) as runs,
      (select count(*)::integer from nodes n join attempts a on a.run_id = n.run_id and a.node_key = n.node_key) as attempts,
      (select count(*)::integer from fires f
        where f.project_id = ${row.projectId}::uuid and f.pipeline_id = ${row.pipelineId}::uuid and f.verdict <> 'ran'
          and f.fire_at >= ${row.openedAt.toISOString()}::timestamptz
          and f.fire_at <= coalesce(${row.resolvedAt?.toISOString() ?? null}::timestamptz, clock_timestamp())) as late,
      (select coalesce(array_agg(distinct code order by code), '{}') from receipts) as codes
  `);
  const from = row.firstFailureAt ?? row.openedAt;
  return {
    detectionMs: found?.told_ms == null ? null : Math.max(0, found.told_ms - from.getTime()),
    ...{ runsFailed: found?.runs ?? 0, runsLate: found?.late ?? 0, attempts: found?.attempts ?? 0 },
    codes: [...new Set([row.code, ...(found?.codes ?? [])])].slice(0, 20),
  };
}

async function recurrenceOf(ctx: Ctx, { recurrenceOf: id }: IncidentRow, now: Date): Promise<Recurrence | null> {
  if (id === null) return null;
  const [earlier] = await ctx.db.select().from(incidents).where(eq(incidents.id, id));
  if (!earlier) return null;
  const actions = await actionsOf(ctx.db, id, now);
  const kept = actions.map(({ due, done }) => ({ due, doneAt: done?.at ?? null }));
  return {
    ...{ id, no: earlier.no, closedAt: earlier.closedAt, fix: (await newestReview(ctx.db, id))?.form.fix ?? "", actions },
    verdict: recurrenceVerdict(kept, now),
  };
}

async function numberOf(ctx: Ctx, id: string | null): Promise<IncidentDetails["recurredIn"]> {
  if (id === null) return null;
  const [row] = await ctx.db.select({ id: incidents.id, no: incidents.no }).from(incidents).where(eq(incidents.id, id));
  return row ?? null;
}
