import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { incidents } from "@/db/schema/incidents";
import { type Permission, roleIn } from "@/server/domain/access/roles";
import type { Grade } from "@/server/domain/alert/grade";
import { DomainError } from "@/server/domain/failure";
import { type IncidentEvent, type IncidentState, nextState, timesOf } from "@/server/domain/incident/transitions";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export type IncidentRow = typeof incidents.$inferSelect;

export const incidentPlaceSchema = z.strictObject({ id: z.uuid() });
/** An incident as the person saw it; refused as stale when it has changed since. */
export const incidentAsSeenSchema = incidentPlaceSchema.extend({ revision: z.int().min(1) });

export interface IncidentView {
  readonly id: string;
  readonly projectId: string;
  readonly no: number;
  readonly code: string;
  readonly pipelineId: string | null;
  readonly severity: Grade;
  readonly state: IncidentState;
  readonly since: Date;
  readonly revision: number;
  readonly owner: string | null;
  /** Null where a name stands there that is no person of the project. */
  readonly ownerId: string | null;
  readonly openedAt: Date;
  readonly firstFailureAt: Date | null;
  readonly acknowledged: { readonly at: Date; readonly by: string } | null;
  readonly resolved: { readonly at: Date; readonly as: "person" | "itself"; readonly by: string | null } | null;
  readonly closed: { readonly at: Date; readonly by: string } | null;
  readonly reviewedAt: Date | null;
  readonly toAcknowledgeMs: number | null;
  readonly toResolveMs: number | null;
}

export const incidentView = (row: IncidentRow): IncidentView => ({
  ...{ id: row.id, projectId: row.projectId, no: row.no, code: row.code, pipelineId: row.pipelineId, severity: row.severity as Grade },
  ...{ state: row.state as IncidentState, since: row.stateSince, revision: row.revision, owner: row.owner, ownerId: row.ownerId },
  ...{ openedAt: row.openedAt, firstFailureAt: row.firstFailureAt, reviewedAt: row.reviewedAt },
  acknowledged: row.acknowledgedAt && { at: row.acknowledgedAt, by: row.acknowledgedBy ?? "" },
  resolved: row.resolvedAt && { at: row.resolvedAt, as: row.resolvedAs as "person" | "itself", by: row.resolvedBy },
  closed: row.closedAt && { at: row.closedAt, by: row.closedBy ?? "" },
  ...timesOf(row),
});

export const auditedIncident = (row: Pick<IncidentRow, "id" | "no" | "code">) => ({
  kind: "incident",
  id: row.id,
  label: `#${row.no} ${row.code}`,
});

export const incidentNotFound = (id: string) =>
  new DomainError("not_found", `there is no incident ${id}, or you have no role in its project`, { details: { id } });

/** An incident that the caller may read. */
export async function findIncident(ctx: Ctx, id: string): Promise<IncidentRow> {
  refuseAnonymous(ctx);
  const [row] = await ctx.db.select().from(incidents).where(eq(incidents.id, id));
  if (!row || roleIn(ctx.principal, row.projectId) === null) throw incidentNotFound(id);
  authorise(ctx, row.projectId, "project.read");
  return row;
}

/** The same, locked until the commit and for somebody who may change it. */
export async function lockIncident(ctx: Ctx, tx: Tx, id: string, permission: Permission): Promise<IncidentRow> {
  refuseAnonymous(ctx);
  const [row] = await tx.select().from(incidents).where(eq(incidents.id, id)).for("update");
  if (!row || roleIn(ctx.principal, row.projectId) === null) throw incidentNotFound(id);
  authorise(ctx, row.projectId, permission);
  return row;
}

/** Until the commit nobody else opens incidents of the project, or opens one again; numbers are counted under it too. */
export async function holdGrouping(tx: Tx, projectId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('incidents/' || ${projectId}::text, 0))`);
}

/** Refuses whoever decided on an older incident, and tells what it is now. */
export function refuseStale(row: IncidentRow, revision: number): void {
  if (row.revision === revision) return;
  const owner = row.owner === null ? "nobody's" : `${row.owner}'s`;
  throw new DomainError(
    "stale",
    `incident #${row.no} was changed meanwhile: it is ${row.state}, ${row.severity}, and ${owner}. Look at it again.`,
    {
      details: { id: row.id, revision: row.revision, state: row.state, severity: row.severity, owner: row.owner },
    },
  );
}

/** The state that an event leads to, or the refusal that names both. */
export function stateAfter(row: IncidentRow, event: IncidentEvent): IncidentState {
  const rule = nextState(row.state as IncidentState, event);
  if (rule) return rule.to;
  throw new DomainError("illegal_transition", `incident #${row.no} is ${row.state}, and there is nothing to ${event} in that state`, {
    details: { id: row.id, state: row.state, event },
  });
}

export type IncidentChange = Partial<typeof incidents.$inferInsert>;

export async function changeIncident(tx: Tx, row: IncidentRow, change: IncidentChange): Promise<IncidentRow> {
  const [after] = await tx
    .update(incidents)
    .set({ ...change, revision: sql`${incidents.revision} + 1` })
    .where(eq(incidents.id, row.id))
    .returning();
  if (!after) throw new Error("a locked incident that is not there");
  return after;
}
