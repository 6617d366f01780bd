import { and, eq, inArray, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { incidentAlerts, incidentSteps, incidents } from "@/db/schema/incidents";
import type { Grouping } from "@/server/domain/incident/group-alerts";
import type { Ctx } from "@/server/engine/context";

/** Writes what was grouped; all of it is in the caller's transaction. */
export async function writeGrouping(
  ctx: Ctx,
  tx: Tx,
  projectId: string,
  { grouping, now }: { readonly grouping: Grouping; readonly now: Date },
): Promise<void> {
  for (const incident of grouping.changed) await writeIncident(tx, projectId, incident);
  if (grouping.links.length > 0) await tx.insert(incidentAlerts).values([...grouping.links]);
  if (grouping.steps.length > 0) {
    await tx.insert(incidentSteps).values(grouping.steps.map((step) => ({ ...step, id: ctx.ids.uuid(now) })));
  }
  const isNew = grouping.changed.filter((incident) => incident.isNew);
  if (isNew.length === 0) return;
  await tx
    .update(incidents)
    .set({ firstFailureAt: firstFailureOf })
    .where(
      inArray(
        incidents.id,
        isNew.map(({ id }) => id),
      ),
    );
  for (const { id, recurrenceOf } of isNew) {
    if (recurrenceOf !== null) await reopenDiscussion(tx, recurrenceOf, id);
  }
}

/** Retries fail before the alert does. Index: incident_alerts_incident, alert_receipts_alert, error_events_task. */
const firstFailureOf = sql`(
  select min(e.at) from incident_alerts l
  join alert_receipts r on r.alert_id = l.alert_id
  join error_events e on e.run_id = r.run_id and e.node_key = r.node_key
  where l.incident_id = ${incidents.id}
)`;

async function writeIncident(tx: Tx, projectId: string, incident: Grouping["changed"][number]): Promise<void> {
  const { id, no, code, pipelineId, state, since, severity, owner, openedAt, acknowledgedAt, acknowledgedBy, resolvedAt } = incident;
  const changed = {
    ...{ state, stateSince: since, severity, acknowledgedAt, acknowledgedBy, resolvedAt },
    // The machine resolves and opens again; it never closes.
    ...(state === "closed" ? {} : { closedAt: null, closedBy: null, reviewedAt: null }),
  };
  if (incident.isNew) {
    const resolvedAs = resolvedAt === null ? null : "itself";
    const { recurrenceOf } = incident;
    await tx.insert(incidents).values({ id, projectId, no, code, pipelineId, owner, openedAt, recurrenceOf, resolvedAs, ...changed });
    return;
  }
  // Who resolved it stays, unless it has just been resolved by itself or is open again.
  const resolvedAs = sql`case when ${incidents.state} in ('open','acknowledged') and ${state}::text = 'resolved' then 'itself'
    when ${state}::text in ('resolved','closed') then ${incidents.resolvedAs} end`;
  const resolvedBy = sql`case when ${incidents.state} in ('resolved','closed') and ${state}::text in ('resolved','closed') then ${incidents.resolvedBy} end`;
  await tx
    .update(incidents)
    .set({ ...changed, resolvedAs, resolvedBy, revision: sql`${incidents.revision} + 1` })
    .where(eq(incidents.id, id));
}

/** The review that was to prevent it is open to discussion again (INC-6). */
async function reopenDiscussion(tx: Tx, reviewedId: string, recurredIn: string): Promise<void> {
  await tx
    .update(incidents)
    .set({ recurredIn, revision: sql`${incidents.revision} + 1` })
    .where(and(eq(incidents.id, reviewedId), eq(incidents.state, "closed")));
}
