import { and, asc, eq, inArray, isNotNull, lte, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { alertChannels, alertDeliveries } from "@/db/schema/alerts";
import { type Answer, nextTryMs } from "@/server/domain/alert/channel";
import { DomainError } from "@/server/domain/failure";
import { type AlertMessage, alertMessageSchema } from "@/server/engine/alerts/message";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { SCHEDULER_LEASE } from "@/server/engine/leadership/lease-timing";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import { buttonsOfMessage } from "@/server/engine/links/buttons-of-message";
import type { Recover, Recovered } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { type ChannelRow, openAccess } from "./channel-row";
import { digestOf } from "./digest";
import { send } from "./send";

type DeliveryRow = typeof alertDeliveries.$inferSelect;
interface Lot {
  readonly channel: ChannelRow;
  readonly deliveries: readonly DeliveryRow[];
}

const BATCH = 200;
/** To one channel at a time; more of them wait for the next round, so that none floods its receiver. */
const AT_ONCE = 5;
/** Whoever takes a delivery and dies is followed after this: it is sent once more, with the same id. */
const TAKEN_FOR_MS = 30_000;

/**
 * Sends what the outbox holds. A try is written down before it is made: a sender that dies at any step leaves a delivery that
 * is due again, so each is delivered at least once (B93). No transaction is open while a receiver is waited for.
 */
export const sendDue: Recover = (ctx, fence) =>
  sendWhere(
    ctx,
    (tx) => requireTerm(tx, fence),
    () => requireTermToLook(ctx.db, fence),
  );

/** The same by a process that is no leader, while there is none. */
export const sendLeaderless = (ctx: Ctx): Promise<Recovered> => sendWhere(ctx, requireNoLeader, () => Promise.resolve());

async function sendWhere(ctx: Ctx, may: (tx: Tx) => Promise<void>, mayLook: () => Promise<void>): Promise<Recovered> {
  const now = await storedNow(ctx, ctx.db);
  const lots = await take(ctx, may, mayLook, now);
  if (lots === null) return { count: 0, more: false };
  const done = await Promise.all(lots.map((lot) => sendLot(ctx, lot, now)));
  for (const projectId of new Set(lots.map(({ channel }) => channel.projectId))) ctx.ports.live.changed(projectId);
  const count = done.reduce((sum, each) => sum + each, 0);
  return { count, more: count > 0 };
}

/** Holds the lease's row, so that nobody becomes leader before what is taken here is written down. */
async function requireNoLeader(tx: Tx): Promise<void> {
  const led = await tx.execute(sql`select 1 from leases where name = ${SCHEDULER_LEASE} and expires_at > clock_timestamp() for share`);
  if (led.length > 0) throw new DomainError("stale", "a scheduler leads again, and sends by itself");
}

async function take(ctx: Ctx, may: (tx: Tx) => Promise<void>, mayLook: () => Promise<void>, now: Date): Promise<Lot[] | null> {
  const due = and(eq(alertDeliveries.state, "waiting"), lte(alertDeliveries.nextAt, now));
  const [waiting] = await ctx.db.select({ id: alertDeliveries.id }).from(alertDeliveries).where(due).limit(1);
  if (!waiting) {
    await mayLook();
    return null;
  }
  return inTransaction(ctx, async (tx) => {
    await may(tx);
    const found = await tx
      .select()
      .from(alertDeliveries)
      .where(due)
      .orderBy(asc(alertDeliveries.nextAt), asc(alertDeliveries.id))
      .limit(BATCH)
      .for("update");
    const channelIds = [...new Set(found.map(({ channelId }) => channelId))];
    const channels = channelIds.length === 0 ? [] : await tx.select().from(alertChannels).where(inArray(alertChannels.id, channelIds));
    const lots: Lot[] = [];
    for (const channel of channels) {
      const own = found.filter(({ channelId }) => channelId === channel.id);
      const ids = (rows: readonly DeliveryRow[]) =>
        inArray(
          alertDeliveries.id,
          rows.map(({ id }) => id),
        );
      if (channel.deletedAt || !channel.enabled) {
        const error = channel.deletedAt ? "the channel was removed" : "the channel is switched off";
        await tx.update(alertDeliveries).set({ state: "failed", error, endedAt: now }).where(ids(own));
      } else if (channel.limitedUntil && channel.limitedUntil > now) {
        await tx.update(alertDeliveries).set({ nextAt: channel.limitedUntil }).where(ids(own));
      } else {
        const taken = channel.limitedUntil ? own : own.slice(0, AT_ONCE);
        const nextAt = new Date(now.getTime() + TAKEN_FOR_MS);
        await tx.update(alertDeliveries).set({ nextAt, lastTriedAt: now }).where(ids(taken));
        lots.push({ channel, deliveries: taken });
      }
    }
    return lots;
  });
}

/** Answers with how many of them need no try any more. */
async function sendLot(ctx: Ctx, { channel, deliveries }: Lot, now: Date): Promise<number> {
  // What had to wait because there was too much of it goes as one.
  if (channel.limitedUntil && deliveries.length > 1) return sendDigest(ctx, channel, deliveries, now);
  const ended = await Promise.all(
    deliveries.map(async (delivery) => {
      const answer = await tryOne(ctx, channel, delivery.id, messageOf(delivery));
      return record(ctx, channel, [delivery], answer, now, null);
    }),
  );
  return ended.filter(Boolean).length;
}

async function sendDigest(ctx: Ctx, channel: ChannelRow, deliveries: readonly DeliveryRow[], now: Date): Promise<number> {
  const [first] = deliveries;
  if (!first) return 0;
  // Under the id of the first: a repeat of the digest is known as one.
  const answer = await tryOne(ctx, channel, first.id, digestOf(deliveries.map(messageOf)));
  return (await record(ctx, channel, deliveries, answer, now, first.id)) ? deliveries.length : 0;
}

const messageOf = ({ message }: DeliveryRow): AlertMessage => alertMessageSchema.parse(message);

async function tryOne(ctx: Ctx, channel: ChannelRow, eventId: string, message: AlertMessage): Promise<Answer> {
  try {
    const access = openAccess(ctx, channel);
    const sending = { projectId: channel.projectId, access, message };
    return await send(ctx, { ...sending, eventId, buttons: await buttonsOfMessage(ctx, { ...sending, channel: channel.name }) });
  } catch (error) {
    ctx.log.warn({ err: error, channelId: channel.id }, "a channel cannot be opened");
    return { kind: "failed", status: null, error: "what it takes to send on this channel cannot be opened; save it again", forGood: true };
  }
}

/** Whether they have ended by it. */
async function record(
  ctx: Ctx,
  channel: ChannelRow,
  deliveries: readonly DeliveryRow[],
  answer: Answer,
  now: Date,
  digestId: string | null,
): Promise<boolean> {
  const [first] = deliveries;
  if (!first) return false;
  const endedAt = await storedNow(ctx, ctx.db);
  const tries = Math.max(...deliveries.map((each) => each.tries)) + 1;
  const ids = deliveries.map(({ id }) => id);
  const write = (set: Partial<typeof alertDeliveries.$inferInsert>) =>
    ctx.db
      .update(alertDeliveries)
      .set({ status: answer.status, tries, digestId, ...set })
      .where(and(inArray(alertDeliveries.id, ids), eq(alertDeliveries.state, "waiting")));
  switch (answer.kind) {
    case "sent":
      await write({ state: "sent", error: null, endedAt });
      if (channel.limitedUntil) await lift(ctx, channel);
      return true;
    case "limited": {
      const until = new Date(now.getTime() + answer.afterMs);
      // It counts as no try: nothing is wrong with it.
      await write({ nextAt: until, tries: tries - 1, error: "the channel asked for fewer messages", digestId: null });
      await ctx.db.update(alertChannels).set({ limitedUntil: until }).where(eq(alertChannels.id, channel.id));
      return false;
    }
    case "failed": {
      const pauseMs = nextTryMs(tries, answer, ctx.random());
      if (pauseMs === null) await write({ state: "failed", error: answer.error, endedAt });
      else await write({ nextAt: new Date(now.getTime() + pauseMs), error: answer.error, digestId: null });
      return pauseMs === null;
    }
  }
}

async function lift(ctx: Ctx, channel: ChannelRow): Promise<void> {
  await ctx.db
    .update(alertChannels)
    .set({ limitedUntil: null })
    .where(and(eq(alertChannels.id, channel.id), isNotNull(alertChannels.limitedUntil)));
}
