import { and, asc, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { alerts } from "@/db/schema/alerts";
import { decideAgain } from "@/server/domain/alert/decide";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { type Guard, leaderless, leading } from "@/server/engine/leadership/guard";
import type { Recover, Recovered } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { openAlertOf } from "./alert-row";
import { byProject } from "./by-project";
import { loadMemory, policyOf } from "./load-memory";
import { lockAlerts } from "./lock-alerts";
import { writeDecision } from "./write-decision";

const BATCH = 500;
/** What waits for its cause goes on waiting while the cause may still lie in the inbox, but no longer than this. */
const LONGEST_GRACE_S = 60;

/**
 * What was kept from people is looked at again when what keeps it back may have ended: it is told, and says what has ended, or
 * something else holds it by now, which goes into its receipts (ALT-4). Index: alerts_look.
 */
export const releaseHeld: Recover = (ctx, fence, { limit = BATCH } = {}) => releaseWhere(ctx, leading(ctx, fence), limit);

/** The same by a process that is no leader, while there is none. */
export const releaseLeaderless = (ctx: Ctx): Promise<Recovered> => releaseWhere(ctx, leaderless, BATCH);

async function releaseWhere(ctx: Ctx, guard: Guard, limit: number): Promise<Recovered> {
  const now = await storedNow(ctx, ctx.db);
  const due = and(isNull(alerts.resolvedAt), isNotNull(alerts.suppressed), isNotNull(alerts.lookAt), lte(alerts.lookAt, now));
  const found = await ctx.db
    .select({ id: alerts.id, projectId: alerts.projectId })
    .from(alerts)
    .where(due)
    .orderBy(asc(alerts.lookAt))
    .limit(limit);
  if (found.length === 0) {
    await guard.look();
    return { count: 0, more: false };
  }
  const count = await byProject(ctx, found, async (projectId, own) => {
    const ids = own.map(({ id }) => id);
    const looked = await inTransaction(ctx, async (tx) => {
      await guard.require(tx);
      await lockAlerts(tx, projectId);
      const held = await tx
        .select()
        .from(alerts)
        .where(and(inArray(alerts.id, ids), due))
        .orderBy(asc(alerts.id))
        .for("update");
      const waits = await causeMayCome(tx, projectId);
      const ready = held.filter((row) => !waits || row.suppressed?.kind !== "grace" || isPast(row.lookAt, now));
      return again(ctx, tx, projectId, ready.map(openAlertOf), now);
    });
    if (looked > 0) ctx.ports.live.changed(projectId);
    return looked;
  });
  return { count, more: found.length === limit };
}

const isPast = (lookAt: Date | null, now: Date): boolean => lookAt !== null && now.getTime() - lookAt.getTime() > LONGEST_GRACE_S * 1_000;

async function again(ctx: Ctx, tx: Tx, projectId: string, held: ReturnType<typeof openAlertOf>[], now: Date): Promise<number> {
  if (held.length === 0) return 0;
  const { policy } = await policyOf(tx, projectId);
  const ids = held.flatMap(({ heldBy }) => heldBy.flatMap(({ kind, ref }) => (BY_ALERT.has(kind) && ref !== "" ? [ref] : [])));
  const memory = await loadMemory(ctx, tx, projectId, { now, policy, occurrences: [], ids });
  await writeDecision(ctx, tx, projectId, { decision: decideAgain(held, memory), now });
  return held.length;
}

/** Of these `ref` is an alert. */
const BY_ALERT: ReadonlySet<string> = new Set(["batch", "task", "acknowledged", "code"]);

/** Something of the project has not been decided on yet, not even once. Index: alert_inbox_waiting. */
async function causeMayCome(tx: Tx, projectId: string): Promise<boolean> {
  const rows = await tx.execute(sql`
    select 1 from alert_inbox i join runs r on r.id = i.run_id
    where i.set_aside_at is null and i.tries = 0 and r.project_id = ${projectId} limit 1
  `);
  return rows.length > 0;
}
