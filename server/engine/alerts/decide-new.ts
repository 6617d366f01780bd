import { isNotNull, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { alertInbox } from "@/db/schema/alerts";
import { decideAlerts } from "@/server/domain/alert/decide";
import type { Occurrence } from "@/server/domain/alert/model";
import type { Check } from "@/server/domain/alert/silence-alarm";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { loadMemory, policyOf } from "./load-memory";
import { type Failure, loadFailures, takeInbox, withHealth } from "./load-occurrences";
import { writeDecision } from "./write-decision";

const BATCH = 500;

/**
 * Decides on all that failed since the last time, in one fenced commit: what is taken out of the inbox, the alerts, the
 * receipts and the outbox are there together or not at all.
 */
export const decideNew: Recover = async (ctx, fence, options = {}) => {
  const limit = options.limit ?? BATCH;
  const [waiting] = await ctx.db.select({ runId: alertInbox.runId }).from(alertInbox).where(isNotNull(alertInbox.runId)).limit(1);
  if (!waiting) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const { count, projectIds } = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const entries = await takeInbox(tx, limit);
    if (entries.length === 0) return { count: 0, projectIds: [] };
    const byProject = new Map<string, Failure[]>();
    for (const failure of await loadFailures(tx, entries)) {
      byProject.set(failure.projectId, [...(byProject.get(failure.projectId) ?? []), failure]);
    }
    // In the order of their ids, so that two of these never wait for each other.
    const projectIds = [...byProject.keys()].sort();
    for (const projectId of projectIds) await decideProject(ctx, tx, projectId, byProject.get(projectId) ?? []);
    return { count: entries.length, projectIds };
  });
  for (const projectId of projectIds) ctx.ports.live.changed(projectId);
  return { count, more: count === limit };
};

async function decideProject(ctx: Ctx, tx: Tx, projectId: string, failures: readonly Failure[]): Promise<void> {
  const { policy } = await policyOf(tx, projectId);
  await decideIn(ctx, tx, projectId, await withHealth(tx, failures, policy));
}

/** Decides on what occurred in a project, and writes it. */
export async function decideIn(
  ctx: Ctx,
  tx: Tx,
  projectId: string,
  occurrences: readonly Occurrence[],
  checks?: ReadonlyMap<string, readonly Check[]>,
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('alerts/' || ${projectId}::text, 0))`);
  const now = await storedNow(ctx, tx);
  const { policy } = await policyOf(tx, projectId);
  const memory = await loadMemory(ctx, tx, projectId, { now, policy, occurrences });
  const decision = decideAlerts(occurrences, memory);
  await writeDecision(ctx, tx, projectId, { decision, now, ...(checks ? { checks } : {}) });
}
