import { and, asc, eq, isNull } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { projects } from "@/db/schema/access";
import { webhookDeliveries, webhooks } from "@/db/schema/webhooks";
import { GIVE_UP_MS } from "@/server/domain/webhooks/retry";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { Fenced, requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { isTransient } from "@/server/engine/transient";
import { cloudEvent, type Happening } from "./compose-event";
import { readBusEvents, readRunEvents } from "./read-events";
import { lookAtSources, type Marks, sealMarks } from "./seal-marks";
import type { WebhookRow } from "./webhook-row";

/** So much waits for a subscriber at most: what happens beyond that stays in its source until there is room. */
const MOST_WAITING = 1_000;

const taking = and(eq(webhooks.enabled, true), isNull(webhooks.disabledAt), isNull(webhooks.deletedAt));

/**
 * Puts what was committed since the last time into the outbox of each subscriber, with its cursor in the same commit. Whoever
 * settles a run writes nothing for it, and waits for nothing of it (EXC-4).
 */
export const fanOut: Recover = async (ctx, fence) => {
  const live = await ctx.db.select({ id: webhooks.id }).from(webhooks).where(taking).orderBy(asc(webhooks.id));
  if (live.length === 0) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const looked = await lookAtSources(ctx.db);
  const marks = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    return sealMarks(tx, looked);
  });
  let count = 0;
  let more = false;
  for (const { id } of live) {
    try {
      const filled = await inTransaction(ctx, async (tx) => {
        await requireTerm(tx, fence);
        return fill(ctx, tx, id, marks);
      });
      count += filled.count;
      more = more || filled.more;
    } catch (error) {
      if (error instanceof Fenced || isTransient(error)) throw error;
      // What goes wrong for one subscriber is no reason for the others to wait.
      ctx.log.error({ err: error, webhookId: id }, "the outbox of a webhook cannot be filled");
    }
  }
  return { count, more };
};

async function fill(ctx: Ctx, tx: Tx, id: string, marks: Marks): Promise<{ count: number; more: boolean }> {
  const [row] = await tx
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, id), taking))
    .for("no key update");
  if (!row) return { count: 0, more: false };
  if (row.runCursor >= marks.run && row.busCursor >= marks.bus) return { count: 0, more: false };
  const waiting = await tx.$count(webhookDeliveries, and(eq(webhookDeliveries.webhookId, id), eq(webhookDeliveries.state, "waiting")));
  if (waiting >= MOST_WAITING) return { count: 0, more: false };
  const fromRuns = await readRunEvents(tx, row, row.runCursor, marks.run);
  const fromBus = await readBusEvents(ctx, tx, row, { cursor: row.busCursor, sealed: marks.bus });
  const happenings = [...fromRuns.happenings, ...fromBus.happenings];
  await enqueue(ctx, tx, row, happenings);
  await tx
    .update(webhooks)
    .set({ runCursor: Math.max(row.runCursor, fromRuns.cursor), busCursor: Math.max(row.busCursor, fromBus.cursor) })
    .where(eq(webhooks.id, id));
  const isBehind = fromRuns.cursor < marks.run || fromBus.cursor < marks.bus;
  return { count: happenings.length, more: isBehind };
}

async function enqueue(ctx: Ctx, tx: Tx, row: WebhookRow, happenings: readonly Happening[]): Promise<void> {
  if (happenings.length === 0) return;
  const [project] = await tx.select({ key: projects.key }).from(projects).where(eq(projects.id, row.projectId));
  const now = await storedNow(ctx, tx);
  const at = { nextAt: now, createdAt: now, giveUpAt: new Date(now.getTime() + GIVE_UP_MS) };
  const values = happenings.map((happening) => {
    const event = cloudEvent(happening, { projectKey: project?.key ?? "", baseUrl: ctx.ports.baseUrl });
    const { type, subject } = happening;
    return { id: ctx.ids.uuid(now), projectId: row.projectId, webhookId: row.id, eventId: event.id, type, subject, event, ...at };
  });
  await tx
    .insert(webhookDeliveries)
    .values(values)
    .onConflictDoNothing({ target: [webhookDeliveries.webhookId, webhookDeliveries.eventId] });
}
