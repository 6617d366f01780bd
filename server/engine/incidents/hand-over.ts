import { and, eq, inArray, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { alertChannels, alerts } from "@/db/schema/alerts";
import { GRADES, type Grade, isGraver } from "@/server/domain/alert/grade";
import { channelsFor } from "@/server/domain/alert/suppress";
import { DomainError } from "@/server/domain/failure";
import { type IncidentState, isOngoing } from "@/server/domain/incident/transitions";
import { parseInput } from "@/server/domain/input";
import { writeNotices } from "@/server/engine/alerts/write-decision";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { reasonSchema } from "@/server/engine/runs/intervention";
import { storedNow } from "@/server/engine/stored-clock";
import { openAlerts } from "./act-on-incident";
import {
  auditedIncident,
  changeIncident,
  type IncidentRow,
  type IncidentView,
  incidentAsSeenSchema,
  incidentView,
  lockIncident,
  refuseStale,
} from "./incident-row";
import { ownerOf } from "./owners";

export const assignIncidentSchema = incidentAsSeenSchema.extend({ ownerId: z.string().min(1).max(64) });

/** Makes it somebody's; also of a closed one, whose actions may still be open. */
export async function assignIncident(ctx: Ctx, given: z.input<typeof assignIncidentSchema>): Promise<IncidentView> {
  const { id, revision, ownerId } = parseInput(assignIncidentSchema, given);
  const after = await inTransaction(ctx, async (tx) => {
    const row = await lockIncident(ctx, tx, id, "incident.handle");
    refuseStale(row, revision);
    const owner = await ownerOf(tx, row.projectId, ownerId);
    const after = await changeIncident(tx, row, { ownerId: owner.id, owner: owner.name });
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb: "incident.assign",
      object: auditedIncident(row),
      before: { owner: row.owner },
      after: { owner: owner.name },
    });
    return after;
  });
  ctx.ports.live.changed(after.projectId);
  return incidentView(after);
}

export const escalateIncidentSchema = incidentAsSeenSchema.extend({ severity: z.enum(GRADES), reason: reasonSchema });

/** Makes it graver, and tells the channels that take the new grade, with the reason. Answers with how many are told. */
export async function escalateIncident(
  ctx: Ctx,
  given: z.input<typeof escalateIncidentSchema>,
): Promise<IncidentView & { readonly told: number }> {
  const { id, revision, severity, reason } = parseInput(escalateIncidentSchema, given);
  const { after, told } = await inTransaction(ctx, async (tx) => {
    const row = await lockIncident(ctx, tx, id, "incident.handle");
    refuseStale(row, revision);
    refuseToEscalate(row, severity);
    const after = await changeIncident(tx, row, { severity });
    const because = `${actorOf(ctx.principal).label} escalated incident #${row.no} to ${severity}: ${reason}`;
    const told = await tellAgain(ctx, tx, row, { severity, because });
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb: "incident.escalate",
      object: auditedIncident(row),
      reason,
      before: { severity: row.severity },
      after: { severity, told },
    });
    return { after, told };
  });
  ctx.ports.live.changed(after.projectId);
  return { ...incidentView(after), told };
}

function refuseToEscalate(row: IncidentRow, severity: Grade): void {
  if (!isOngoing(row.state as IncidentState)) {
    throw new DomainError("illegal_transition", `incident #${row.no} is ${row.state}; reopen it before you escalate it`, {
      details: { id: row.id, state: row.state },
    });
  }
  if (isGraver(severity, row.severity as Grade)) return;
  throw new DomainError("invalid_input", `incident #${row.no} is ${row.severity} already; escalate it to a graver one`, {
    issues: [{ path: "severity", code: "range", message: `choose one that is graver than ${row.severity}` }],
  });
}

/** By its newest open alert: the message is of the new grade, and says who escalated and why. */
async function tellAgain(
  ctx: Ctx,
  tx: Tx,
  row: IncidentRow,
  { severity, because }: { readonly severity: Grade; readonly because: string },
): Promise<number> {
  const open = await openAlerts(tx, row.id);
  const newest = open.at(-1);
  if (newest === undefined) return 0;
  await tx.update(alerts).set({ grade: severity }).where(inArray(alerts.id, open));
  const channels = await tx
    .select({ channelId: alertChannels.id, enabled: alertChannels.enabled, grade: alertChannels.grade, pattern: alertChannels.pattern })
    .from(alertChannels)
    .where(and(eq(alertChannels.projectId, row.projectId), isNull(alertChannels.deletedAt)));
  const routes = channels.map((route) => ({ ...route, grade: route.grade as Grade }));
  const channelIds = channelsFor(routes, severity, row.code);
  if (channelIds.length === 0) return 0;
  const now = await storedNow(ctx, tx);
  // It was told of now, whatever kept it back before.
  await tx.update(alerts).set({ sentAt: now, suppressed: null }).where(eq(alerts.id, newest));
  await writeNotices(ctx, tx, row.projectId, [{ alertId: newest, channelIds, cause: "raised", because }], now);
  return channelIds.length;
}
