import { asc, inArray } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { incidentInbox } from "@/db/schema/incidents";
import { groupAlerts } from "@/server/domain/incident/group-alerts";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { holdGrouping } from "./incident-row";
import { loadAlertFacts, loadIncidentMemory } from "./load-grouping";
import { writeGrouping } from "./write-grouping";

const BATCH = 200;

/**
 * Groups alerts that are new or have changed into incidents, in one fenced commit: what is taken out of the inbox, the
 * incidents and their alerts are there together or not at all (INC-1).
 */
export const groupNew: Recover = async (ctx, fence, options = {}) => {
  const limit = options.limit ?? BATCH;
  const [waiting] = await ctx.db.select({ id: incidentInbox.id }).from(incidentInbox).limit(1);
  if (!waiting) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const { count, projectIds } = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const entries = await takeInbox(tx, limit);
    const alerts = await loadAlertFacts(
      tx,
      entries.map(({ alertId }) => alertId),
    );
    const projectIds = [...new Set(alerts.map(({ projectId }) => projectId))].sort();
    for (const projectId of projectIds) {
      await groupIn(
        ctx,
        tx,
        projectId,
        alerts.filter((alert) => alert.projectId === projectId),
      );
    }
    return { count: entries.length, projectIds };
  });
  for (const projectId of projectIds) ctx.ports.live.changed(projectId);
  return { count, more: count === limit };
};

async function groupIn(ctx: Ctx, tx: Tx, projectId: string, alerts: Awaited<ReturnType<typeof loadAlertFacts>>): Promise<void> {
  await holdGrouping(tx, projectId);
  const now = await storedNow(ctx, tx);
  const memory = await loadIncidentMemory(ctx, tx, projectId, { alerts, now });
  await writeGrouping(ctx, tx, projectId, { grouping: groupAlerts(alerts, memory), now });
}

/** The oldest entries; a rollback puts them back. */
async function takeInbox(tx: Tx, limit: number): Promise<{ alertId: string }[]> {
  const oldest = tx
    .select({ id: incidentInbox.id })
    .from(incidentInbox)
    .orderBy(asc(incidentInbox.id))
    .limit(limit)
    .for("update", { skipLocked: true });
  return tx.delete(incidentInbox).where(inArray(incidentInbox.id, oldest)).returning({ alertId: incidentInbox.alertId });
}
