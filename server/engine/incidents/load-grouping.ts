import { and, asc, desc, eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { alerts } from "@/db/schema/alerts";
import { incidentAlerts, incidentCodes, incidents } from "@/db/schema/incidents";
import type { Grade } from "@/server/domain/alert/grade";
import type { SuppressorKind } from "@/server/domain/alert/model";
import type { AlertFacts, IncidentFacts, IncidentMemory } from "@/server/domain/incident/group-alerts";
import type { IncidentState } from "@/server/domain/incident/transitions";
import type { Ctx } from "@/server/engine/context";
import type { IncidentRow } from "./incident-row";

/** What incidents need of these alerts, with the incident that each is part of. Index: the primary keys. */
export async function loadAlertFacts(tx: Tx, ids: readonly string[]): Promise<(AlertFacts & { readonly projectId: string })[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .select({ alert: alerts, incidentId: incidentAlerts.incidentId })
    .from(alerts)
    .leftJoin(incidentAlerts, eq(incidentAlerts.alertId, alerts.id))
    .where(inArray(alerts.id, [...new Set(ids)]));
  return rows.map(({ alert, incidentId }) => ({
    ...{ projectId: alert.projectId, id: alert.id, no: alert.no, code: alert.code, pipelineId: alert.pipelineId },
    ...{ grade: alert.grade as Grade, owner: alert.owner, firstAt: alert.firstAt, resolvedAt: alert.resolvedAt, incidentId },
    suppressedBy: (alert.suppressed?.kind ?? null) as SuppressorKind | null,
    acknowledged: alert.acknowledgedAt && { at: alert.acknowledgedAt, by: alert.acknowledgedBy ?? "" },
  }));
}

/** The incidents that alerts may belong to, locked: nobody resolves one that is just added to. Index: incidents_code. */
export async function loadIncidentMemory(
  ctx: Ctx,
  tx: Tx,
  projectId: string,
  { alerts: given, now }: { readonly alerts: readonly AlertFacts[]; readonly now: Date },
): Promise<IncidentMemory> {
  const own = given.flatMap(({ incidentId }) => (incidentId === null ? [] : [incidentId]));
  const codes = [...new Set(given.filter(({ incidentId }) => incidentId === null).map(({ code }) => code))];
  const newest = tx
    .selectDistinctOn([incidents.code, incidents.pipelineId], { id: incidents.id })
    .from(incidents)
    .where(and(eq(incidents.projectId, projectId), inArray(incidents.code, codes)))
    // One that goes on before a newer one that is over: only one of a key can go on.
    .orderBy(incidents.code, incidents.pipelineId, sql`(${incidents.state} in ('open','acknowledged')) desc`, desc(incidents.no));
  const rows = [
    ...(own.length === 0 ? [] : await lock(tx, inArray(incidents.id, own))),
    ...(codes.length === 0 ? [] : await lock(tx, inArray(incidents.id, newest))),
  ];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const states = await alertStates(tx, [...byId.keys()]);
  const [last] = await tx
    .select({ no: sql<number>`coalesce(max(${incidents.no}), 0)` })
    .from(incidents)
    .where(eq(incidents.projectId, projectId));
  return {
    now,
    incidents: [...byId.values()].map((row) => factsOf(row, states.get(row.id))),
    lastReviewed: await lastReviewed(tx, projectId, codes),
    nextNo: (last?.no ?? 0) + 1,
    newId: () => ctx.ids.uuid(now),
  };
}

const lock = (tx: Tx, which: ReturnType<typeof inArray>): Promise<IncidentRow[]> =>
  tx.select().from(incidents).where(which).orderBy(asc(incidents.id)).for("update");

interface AlertStates {
  readonly open: ReadonlySet<string>;
  readonly lastResolvedAt: Date | null;
}

async function alertStates(tx: Tx, incidentIds: readonly string[]): Promise<ReadonlyMap<string, AlertStates>> {
  if (incidentIds.length === 0) return new Map();
  const rows = await tx
    .select({ incidentId: incidentAlerts.incidentId, id: alerts.id, resolvedAt: alerts.resolvedAt })
    .from(incidentAlerts)
    .innerJoin(alerts, eq(alerts.id, incidentAlerts.alertId))
    .where(inArray(incidentAlerts.incidentId, [...incidentIds]));
  return new Map(
    incidentIds.map((incidentId) => {
      const own = rows.filter((row) => row.incidentId === incidentId);
      const ended = own.flatMap(({ resolvedAt }) => (resolvedAt ? [resolvedAt.getTime()] : []));
      const open = new Set(own.filter(({ resolvedAt }) => resolvedAt === null).map(({ id }) => id));
      return [incidentId, { open, lastResolvedAt: ended.length === 0 ? null : new Date(Math.max(...ended)) }];
    }),
  );
}

const factsOf = (row: IncidentRow, states: AlertStates | undefined): IncidentFacts => ({
  ...{ id: row.id, no: row.no, code: row.code, pipelineId: row.pipelineId, state: row.state as IncidentState, since: row.stateSince },
  ...{ severity: row.severity as Grade, owner: row.owner, openedAt: row.openedAt, resolvedAt: row.resolvedAt },
  ...{ acknowledgedAt: row.acknowledgedAt, acknowledgedBy: row.acknowledgedBy, recurrenceOf: row.recurrenceOf },
  isReviewed: row.reviewedAt !== null,
  ...{ openAlerts: states?.open ?? new Set(), lastResolvedAt: states?.lastResolvedAt ?? null },
});

/** Of each code the newest incident that was closed with a review that speaks of it. Index: the key of incident_codes. */
async function lastReviewed(tx: Tx, projectId: string, codes: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (codes.length === 0) return new Map();
  const rows = await tx
    .selectDistinctOn([incidentCodes.code], { code: incidentCodes.code, id: incidents.id })
    .from(incidentCodes)
    .innerJoin(incidents, eq(incidents.id, incidentCodes.incidentId))
    .where(
      and(
        eq(incidentCodes.projectId, projectId),
        inArray(incidentCodes.code, [...codes]),
        isNotNull(incidents.reviewedAt),
        eq(incidents.state, "closed"),
      ),
    )
    .orderBy(incidentCodes.code, desc(incidents.no));
  return new Map(rows.map(({ code, id }) => [code, id]));
}
