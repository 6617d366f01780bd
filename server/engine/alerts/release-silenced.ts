import { and, asc, eq, inArray, isNull, lte } from "drizzle-orm";
import { alerts, silences } from "@/db/schema/alerts";
import { decideAgain } from "@/server/domain/alert/decide";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { loadMemory, openAlertOf, policyOf } from "./load-memory";
import { writeDecision } from "./write-decision";

/** Silences of one commit; each may have kept back many alerts. */
const BATCH = 10;

/** What a silence kept back and is still open fires again once the silence has ended, and says so (ALT-4). Index: silences_unreleased. */
export const releaseSilenced: Recover = async (ctx, fence) => {
  const now = await storedNow(ctx, ctx.db);
  const over = and(isNull(silences.releasedAt), lte(silences.endsAt, now));
  const ended = await ctx.db.select().from(silences).where(over).orderBy(asc(silences.endsAt)).limit(BATCH);
  if (ended.length === 0) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const ids = ended.map(({ id }) => id);
    const released = await tx
      .update(silences)
      .set({ releasedAt: now })
      .where(and(inArray(silences.id, ids), over))
      .returning();
    for (const projectId of [...new Set(released.map((each) => each.projectId))].sort()) {
      const numbers = new Map(released.map(({ id, no }) => [id, no]));
      const held = await tx
        .select()
        .from(alerts)
        .where(and(eq(alerts.projectId, projectId), isNull(alerts.resolvedAt), inArray(alerts.silenceId, [...numbers.keys()])))
        .for("update");
      const { policy } = await policyOf(tx, projectId);
      const memory = await loadMemory(ctx, tx, projectId, { now, policy, occurrences: [] });
      const again = held.map((row) => ({
        ...openAlertOf(row),
        because: `it fires again because silence #${numbers.get(row.silenceId ?? "")} has ended`,
      }));
      await writeDecision(ctx, tx, projectId, { decision: decideAgain(again, memory), now });
    }
  });
  tell(ctx, ended);
  return { count: ended.length, more: ended.length === BATCH };
};

function tell(ctx: Ctx, ended: readonly { readonly projectId: string }[]): void {
  for (const projectId of new Set(ended.map((each) => each.projectId))) ctx.ports.live.changed(projectId);
}
