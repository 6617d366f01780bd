import { and, eq, isNull, lte, or, sql } from "drizzle-orm";
import { webhookDeliveries, webhooks } from "@/db/schema/webhooks";
import { judgeHealth, pauseMs } from "@/server/domain/webhooks/retry";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { inTime, LATE } from "@/server/engine/in-time";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { disableWebhook } from "./disable-webhook";
import { postEvent, type Tried } from "./post-event";
import type { WebhookRow } from "./webhook-row";

type DeliveryRow = typeof webhookDeliveries.$inferSelect;

/** Subscribers of one round. */
const BATCH = 50;
/** Events to one subscriber at a time, each of another subject; one alone while it fails. */
const AT_ONCE = 4;
/** Of one turn of a subscriber; then another process may send to it. */
const TURN_MS = 20_000;
/** Longer than a turn and its last try: whoever takes a subscriber and dies is followed after this. */
const TAKEN_FOR_MS = 45_000;
/** A round waits so long for its turns; those that take longer go on beside the next rounds. */
const ROUND_MS = 1_000;

/**
 * Sends what the outboxes hold, each subscriber in a turn of its own, which no other process has meanwhile: one that is slow or
 * dead harms nobody (EXC-4). A try is written down before it is made, so that an event is delivered at least once; the events of
 * one subject go one after the other, in their order.
 */
export const sendEvents: Recover = async (ctx, fence) => {
  const now = await storedNow(ctx, ctx.db);
  const due = and(
    eq(webhooks.enabled, true),
    isNull(webhooks.disabledAt),
    isNull(webhooks.deletedAt),
    or(isNull(webhooks.busyUntil), lte(webhooks.busyUntil, now)),
    or(isNull(webhooks.resumeAt), lte(webhooks.resumeAt, now)),
    sql`exists (select 1 from ${webhookDeliveries} d where d.webhook_id = ${webhooks.id} and d.state = 'waiting' and d.next_at <= ${now.toISOString()}::timestamptz)`,
  );
  const [waiting] = await ctx.db.select({ id: webhooks.id }).from(webhooks).where(due).limit(1);
  if (!waiting) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const taken = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const rows = await tx.select().from(webhooks).where(due).orderBy(webhooks.id).limit(BATCH).for("update", { skipLocked: true });
    const busyUntil = new Date(now.getTime() + TAKEN_FOR_MS);
    for (const { id } of rows) await tx.update(webhooks).set({ busyUntil }).where(eq(webhooks.id, id));
    return rows.map((row) => ({ ...row, busyUntil }));
  });
  const turns = taken.map(async (row) => {
    try {
      return await turn(ctx, row);
    } catch (error) {
      ctx.log.warn({ err: error, webhookId: row.id }, "a turn of a webhook has ended early");
      return 0;
    }
  });
  const sent = await inTime(Promise.all(turns), ROUND_MS);
  const count = sent === LATE ? 0 : sent.reduce((sum, each) => sum + each, 0);
  return { count, more: count > 0 };
};

/** Sends to one subscriber until nothing is due, it fails, or its turn is over. */
async function turn(ctx: Ctx, taken: WebhookRow & { readonly busyUntil: Date }): Promise<number> {
  const until = ctx.clock.monotonicMs() + TURN_MS;
  let row: WebhookRow | null = taken;
  let count = 0;
  try {
    while (row !== null && ctx.clock.monotonicMs() < until) {
      const deliveries = await take(ctx, row);
      if (deliveries.length === 0) break;
      const sending: WebhookRow = row;
      const tries = await Promise.all(deliveries.map(async (delivery) => ({ delivery, tried: await postEvent(ctx, sending, delivery) })));
      for (const each of tries) row = row && (await record(ctx, row, each.delivery, each.tried));
      count += tries.filter(({ tried }) => tried.answer.kind === "sent").length;
      if (tries.some(({ tried }) => tried.answer.kind !== "sent")) break;
    }
  } finally {
    // Whoever stood still past its mark leaves that of the next one alone.
    const own = and(eq(webhooks.id, taken.id), eq(webhooks.busyUntil, taken.busyUntil));
    await ctx.db.update(webhooks).set({ busyUntil: null }).where(own);
  }
  ctx.ports.live.changed(taken.projectId);
  return count;
}

/** The oldest event of each subject, as far as it is due: a later one waits for it. Index: webhook_deliveries_waiting. */
async function take(ctx: Ctx, { id, failures }: WebhookRow): Promise<DeliveryRow[]> {
  const now = await storedNow(ctx, ctx.db);
  const heads = ctx.db
    .selectDistinctOn([webhookDeliveries.subject], { id: webhookDeliveries.id, nextAt: webhookDeliveries.nextAt })
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.webhookId, id), eq(webhookDeliveries.state, "waiting")))
    .orderBy(webhookDeliveries.subject, webhookDeliveries.seq)
    .as("heads");
  const rows = await ctx.db
    .select({ delivery: webhookDeliveries })
    .from(heads)
    .innerJoin(webhookDeliveries, eq(webhookDeliveries.id, heads.id))
    .where(lte(heads.nextAt, now))
    .orderBy(webhookDeliveries.seq)
    .limit(failures > 0 ? 1 : AT_ONCE);
  const nextAt = new Date(now.getTime() + TAKEN_FOR_MS);
  for (const { delivery } of rows) {
    await ctx.db.update(webhookDeliveries).set({ nextAt, lastTriedAt: now }).where(eq(webhookDeliveries.id, delivery.id));
  }
  return rows.map(({ delivery }) => delivery);
}

/** Writes down how a try went, and how the subscriber stands after it; null once it is switched off. */
async function record(ctx: Ctx, row: WebhookRow, delivery: DeliveryRow, { answer, ms, response }: Tried): Promise<WebhookRow | null> {
  const now = await storedNow(ctx, ctx.db);
  const isLimited = answer.kind === "limited";
  const tries = delivery.tries + (isLimited ? 0 : 1);
  const write = (set: Partial<typeof webhookDeliveries.$inferInsert>) =>
    ctx.db
      .update(webhookDeliveries)
      .set({ status: answer.status, ms, response, tries, ...set })
      .where(and(eq(webhookDeliveries.id, delivery.id), eq(webhookDeliveries.state, "waiting")));
  if (answer.kind === "sent") await write({ state: "sent", error: null, endedAt: now });
  else if (isLimited) await write({ error: "it asked for time", nextAt: new Date(now.getTime() + answer.afterMs) });
  else if (now >= delivery.giveUpAt) await write({ state: "failed", error: answer.error, endedAt: now });
  else await write({ error: answer.error, nextAt: new Date(now.getTime() + pauseMs(tries, ctx.random())) });

  const verdict = judgeHealth(row, answer, now);
  if (verdict.kind === "disable") {
    await disableWebhook(ctx, row, verdict.why);
    return null;
  }
  const { health } = verdict;
  if (health.failures !== row.failures || health.resumeAt?.getTime() !== row.resumeAt?.getTime())
    await ctx.db.update(webhooks).set(health).where(eq(webhooks.id, row.id));
  return { ...row, ...health };
}
