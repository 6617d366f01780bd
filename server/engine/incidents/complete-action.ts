import { eq } from "drizzle-orm";
import { z } from "zod";
import { incidentActions } from "@/db/schema/incidents";
import { roleIn } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { textSchema } from "@/server/domain/pipeline/definition";
import { refuseAnonymous } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { auditedIncident, lockIncident } from "./incident-row";
import { type ActionView, actionView } from "./review-row";

export const completeActionSchema = z.strictObject({
  id: z.uuid(),
  /** What shows that it works, as the review asked for. */
  note: textSchema(500).trim().min(1, { error: "say what proves it" }),
});

const actionNotFound = (id: string) =>
  new DomainError("not_found", `there is no action ${id}, or you have no role in its project`, { details: { id } });

/** Says that an action is done, with its proof; once. */
export async function completeAction(ctx: Ctx, given: z.input<typeof completeActionSchema>): Promise<ActionView> {
  const { id, note } = parseInput(completeActionSchema, given);
  refuseAnonymous(ctx);
  const { projectId, view } = await inTransaction(ctx, async (tx) => {
    const [found] = await tx.select({ incidentId: incidentActions.incidentId }).from(incidentActions).where(eq(incidentActions.id, id));
    if (!found) throw actionNotFound(id);
    // Its incident first, as whoever saves the review does.
    const incident = await lockIncident(ctx, tx, found.incidentId, "incident.handle").catch((error: unknown) => {
      throw error instanceof DomainError && error.code === "not_found" ? actionNotFound(id) : error;
    });
    const [action] = await tx.select().from(incidentActions).where(eq(incidentActions.id, id)).for("update");
    if (!action || roleIn(ctx.principal, incident.projectId) === null) throw actionNotFound(id);
    if (action.doneAt) {
      throw new DomainError("stale", `it was done by ${action.doneBy} at ${action.doneAt.toISOString()} already`, { details: { id } });
    }
    const now = await storedNow(ctx, tx);
    const done = { doneAt: now, doneBy: actorOf(ctx.principal).label, doneNote: note };
    await tx.update(incidentActions).set(done).where(eq(incidentActions.id, id));
    await writeAudit(tx, ctx, {
      projectId: incident.projectId,
      verb: "incident.completeAction",
      object: auditedIncident(incident),
      after: { action: action.what, owner: action.owner, due: action.due, note },
    });
    return { projectId: incident.projectId, view: actionView({ ...action, ...done }, now) };
  });
  ctx.ports.live.changed(projectId);
  return view;
}
