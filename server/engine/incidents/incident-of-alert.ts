import { eq } from "drizzle-orm";
import { z } from "zod";
import { alerts } from "@/db/schema/alerts";
import { incidentAlerts, incidents } from "@/db/schema/incidents";
import { roleIn } from "@/server/domain/access/roles";
import type { IncidentState } from "@/server/domain/incident/transitions";
import { parseInput } from "@/server/domain/input";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import { alertNotFound } from "@/server/engine/alerts/alert-view";
import type { Ctx } from "@/server/engine/context";

export const incidentOfAlertSchema = z.strictObject({ alertId: z.uuid() });

/** The incident that an alert is part of; null where it is of none. Index: the primary keys. */
export async function incidentOfAlert(
  ctx: Ctx,
  given: z.input<typeof incidentOfAlertSchema>,
): Promise<{ readonly id: string; readonly no: number; readonly state: IncidentState } | null> {
  const { alertId } = parseInput(incidentOfAlertSchema, given);
  refuseAnonymous(ctx);
  const [row] = await ctx.db
    .select({ projectId: alerts.projectId, incident: { id: incidents.id, no: incidents.no, state: incidents.state } })
    .from(alerts)
    .leftJoin(incidentAlerts, eq(incidentAlerts.alertId, alerts.id))
    .leftJoin(incidents, eq(incidents.id, incidentAlerts.incidentId))
    .where(eq(alerts.id, alertId));
  if (!row || roleIn(ctx.principal, row.projectId) === null) throw alertNotFound(alertId);
  authorise(ctx, row.projectId, "project.read");
  return row.incident && { ...row.incident, state: row.incident.state as IncidentState };
}
