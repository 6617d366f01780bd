import { and, asc, eq, inArray, isNull, ne, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Tx } from "@/db/client";
import { alerts } from "@/db/schema/alerts";
import { incidentAlerts, incidents } from "@/db/schema/incidents";
import type { Grade } from "@/server/domain/alert/grade";
import { DomainError } from "@/server/domain/failure";
import { closingIssues, reviewIssues } from "@/server/domain/incident/review";
import type { IncidentEvent } from "@/server/domain/incident/transitions";
import { parseInput } from "@/server/domain/input";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { reasonSchema } from "@/server/engine/runs/intervention";
import { storedNow } from "@/server/engine/stored-clock";
import {
  auditedIncident,
  changeIncident,
  findIncident,
  holdGrouping,
  type IncidentChange,
  type IncidentRow,
  type IncidentView,
  incidentAsSeenSchema,
  incidentView,
  lockIncident,
  refuseStale,
  stateAfter,
} from "./incident-row";
import { newestReview } from "./review-row";

export const incidentWithReasonSchema = incidentAsSeenSchema.extend({ reason: reasonSchema });

type AsSeen = z.input<typeof incidentAsSeenSchema>;
type WithReason = z.input<typeof incidentWithReasonSchema>;

/** Somebody takes care: it becomes theirs unless it is somebody's, and its alerts page nobody again. */
export async function acknowledgeIncident(ctx: Ctx, given: AsSeen): Promise<IncidentView> {
  const seen = parseInput(incidentAsSeenSchema, given);
  return act(ctx, { ...seen, reason: null }, "acknowledge", async ({ tx, row, at, by }) => {
    const open = await openAlerts(tx, row.id);
    if (open.length > 0) {
      await tx
        .update(alerts)
        .set({ acknowledgedAt: at, acknowledgedBy: by })
        .where(and(inArray(alerts.id, open), isNull(alerts.acknowledgedAt), isNull(alerts.resolvedAt)));
    }
    const { principal } = ctx;
    return {
      ...(row.ownerId === null && principal.kind === "user" ? { ownerId: principal.id, owner: by } : {}),
      ...(row.acknowledgedAt === null ? { acknowledgedAt: at, acknowledgedBy: by } : {}),
    };
  });
}

/** Ends it by hand, with its alerts; what is silent resolves when what is missing is there. */
export async function resolveIncident(ctx: Ctx, given: WithReason): Promise<IncidentView> {
  const seen = parseInput(incidentWithReasonSchema, given);
  return act(ctx, seen, "resolve", async ({ tx, row, at, by }) => {
    const open = await openAlerts(tx, row.id);
    if (open.length > 0) {
      await tx
        .update(alerts)
        .set({ resolvedAt: at, resolvedAs: "person", resolvedBy: by, resolvedReason: seen.reason })
        .where(and(inArray(alerts.id, open), ne(alerts.kind, "silence"), isNull(alerts.resolvedAt)));
    }
    return { resolvedAt: at, resolvedAs: "person", resolvedBy: by };
  });
}

/** It is not over after all. Refused beside another one that goes on: two would share the same alerts (INC-1). */
export async function reopenIncident(ctx: Ctx, given: WithReason): Promise<IncidentView> {
  const seen = parseInput(incidentWithReasonSchema, given);
  return act(ctx, seen, "reopen", async ({ tx, row }) => {
    await refuseBesideOngoing(tx, row);
    return { resolvedAt: null, resolvedAs: null, resolvedBy: null, closedAt: null, closedBy: null, reviewedAt: null };
  });
}

/** Index: incidents_ongoing. */
async function refuseBesideOngoing(tx: Tx, row: IncidentRow): Promise<void> {
  const [other] = await tx
    .select({ id: incidents.id, no: incidents.no, state: incidents.state })
    .from(incidents)
    .where(
      and(
        eq(incidents.projectId, row.projectId),
        eq(incidents.code, row.code),
        sql`coalesce(${incidents.pipelineId}::text, '') = ${row.pipelineId ?? ""}`,
        inArray(incidents.state, ["open", "acknowledged"]),
      ),
    );
  if (!other) return;
  throw new DomainError(
    "illegal_transition",
    `incident #${other.no} of the same code and pipeline is ${other.state}; go on there, or resolve it before you reopen #${row.no}`,
    { details: { id: row.id, otherId: other.id, otherNo: other.no } },
  );
}

/** Nothing is left to do. P0 and P1 need their complete review for it (INC-2). */
export async function closeIncident(ctx: Ctx, given: AsSeen): Promise<IncidentView> {
  const seen = parseInput(incidentAsSeenSchema, given);
  return act(ctx, { ...seen, reason: null }, "close", async ({ tx, row, at, by }) => {
    const review = await newestReview(tx, row.id);
    const issues = closingIssues(row.severity as Grade, review?.form ?? null);
    if (issues.length > 0) {
      throw new DomainError(
        "unprocessable",
        `incident #${row.no} is ${row.severity} and is closed with a complete review. ${issues.map(({ message }) => message).join("; ")}.`,
        { issues, details: { id: row.id } },
      );
    }
    const isReviewed = review !== null && reviewIssues(review.form).length === 0;
    return { closedAt: at, closedBy: by, reviewedAt: isReviewed ? at : null };
  });
}

interface Deed {
  readonly tx: Tx;
  readonly row: IncidentRow;
  readonly at: Date;
  readonly by: string;
}

async function act(
  ctx: Ctx,
  { id, revision, reason }: { readonly id: string; readonly revision: number; readonly reason: string | null },
  event: IncidentEvent,
  change: (deed: Deed) => IncidentChange | Promise<IncidentChange>,
): Promise<IncidentView> {
  // What opens one takes turns with the grouping, which opens others of the same code and pipeline; and before any row.
  const opensIn = event === "reopen" ? (await findIncident(ctx, id)).projectId : null;
  const after = await inTransaction(ctx, async (tx) => {
    if (opensIn !== null) await holdGrouping(tx, opensIn);
    const row = await lockIncident(ctx, tx, id, event === "close" ? "incident.close" : "incident.handle");
    refuseStale(row, revision);
    const state = stateAfter(row, event);
    const at = await storedNow(ctx, tx);
    const set = await change({ tx, row, at, by: actorOf(ctx.principal).label });
    const after = await changeIncident(tx, row, { ...set, state, stateSince: at });
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb: `incident.${event}`,
      object: auditedIncident(row),
      reason,
      before: { state: row.state, severity: row.severity, owner: row.owner },
      after: { state: after.state, severity: after.severity, owner: after.owner },
    });
    return after;
  });
  ctx.ports.live.changed(after.projectId);
  return incidentView(after);
}

/** Ids of its alerts that are not resolved, locked in one order. */
export async function openAlerts(tx: Tx, incidentId: string): Promise<string[]> {
  const own = tx.select({ id: incidentAlerts.alertId }).from(incidentAlerts).where(eq(incidentAlerts.incidentId, incidentId));
  const rows = await tx
    .select({ id: alerts.id })
    .from(alerts)
    .where(and(sql`${alerts.id} in ${own}`, isNull(alerts.resolvedAt)))
    .orderBy(asc(alerts.id))
    .for("update");
  return rows.map(({ id }) => id);
}
