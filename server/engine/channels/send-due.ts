import { and, eq, inArray } from "drizzle-orm";
import { alertChannels, alertDeliveries } from "@/db/schema/alerts";
import { type Answer, nextTryMs } from "@/server/domain/alert/channel";
import { DomainError } from "@/server/domain/failure";
import { type AlertMessage, alertMessageSchema } from "@/server/engine/alerts/message";
import type { Ctx } from "@/server/engine/context";
import { inTime, LATE } from "@/server/engine/in-time";
import { type Guard, leaderless, leading } from "@/server/engine/leadership/guard";
import { buttonsOfMessage } from "@/server/engine/links/buttons-of-message";
import type { Recover, Recovered } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { isOutage } from "@/server/engine/transient";
import { type ChannelRow, openAccess } from "./channel-row";
import { digestOf } from "./digest";
import { send } from "./send";
import { type DeliveryRow, dueChannels, type Lot, type Parcel, takeDue } from "./take-due";

/** A round waits no longer for those who are slow; they are asked for nothing more until they have answered. */
const ROUND_MS = 1_000;

/**
 * Sends what the outbox holds, each channel for itself: one that is slow or dead is busy with its own messages, and delays no
 * other's. No transaction is open while a receiver is waited for.
 */
export function createSender(roundMs: number = ROUND_MS): Recover {
  const busy = new Map<string, Promise<number>>();
  return (ctx, fence) => sendRound(ctx, leading(ctx, fence), { busy, roundMs });
}

/** The same, waiting for every answer. */
export const sendDue: Recover = (ctx, fence) => sendRound(ctx, leading(ctx, fence), { busy: new Map(), roundMs: null });

/** The same by a process that is no leader, while there is none. */
export const sendLeaderless = (ctx: Ctx): Promise<Recovered> => sendRound(ctx, leaderless, { busy: new Map(), roundMs: null });

interface Round {
  readonly busy: Map<string, Promise<number>>;
  readonly roundMs: number | null;
}

async function sendRound(ctx: Ctx, guard: Guard, { busy, roundMs }: Round): Promise<Recovered> {
  const now = await storedNow(ctx, ctx.db);
  const due = (await dueChannels(ctx, now)).filter((id) => !busy.has(id));
  if (due.length === 0) {
    await guard.look();
    return { count: 0, more: false };
  }
  const works: Promise<number>[] = [];
  for (const channelId of due) {
    const lot = await takeOrSkip(ctx, guard, channelId, now);
    if (!lot) continue;
    const work = sendLot(ctx, lot, now)
      .catch((error: unknown) => {
        ctx.log.warn({ err: error, channelId }, "how deliveries went could not be written down; they are due again in a moment");
        return 0;
      })
      .finally(() => busy.delete(channelId));
    busy.set(channelId, work);
    works.push(work);
  }
  const all = Promise.all(works);
  const done = roundMs === null ? await all : await inTime(all, roundMs);
  const count = done === LATE ? 0 : done.reduce((sum, each) => sum + each, 0);
  return { count, more: count > 0 };
}

/** A channel of which nothing can be taken stops no other. */
async function takeOrSkip(ctx: Ctx, guard: Guard, channelId: string, now: Date): Promise<Lot | null> {
  try {
    return await takeDue(ctx, guard, channelId, now);
  } catch (error) {
    if ((error instanceof DomainError && error.code === "stale") || isOutage(error)) throw error;
    ctx.log.warn({ err: error, channelId }, "what a channel has to send could not be taken");
    return null;
  }
}

/** Answers with how many deliveries need no try any more. */
async function sendLot(ctx: Ctx, { channel, parcels }: Lot, now: Date): Promise<number> {
  const ended = await Promise.all(
    parcels.map(async (parcel) => {
      const answer = await tryOne(ctx, channel, parcel);
      return (await record(ctx, { channel, parcel, answer, now })) ? parcel.deliveries.length : 0;
    }),
  );
  ctx.ports.live.changed(channel.projectId);
  return ended.reduce((sum, each) => sum + each, 0);
}

const messageOf = ({ message }: DeliveryRow): AlertMessage => alertMessageSchema.parse(message);

async function tryOne(ctx: Ctx, channel: ChannelRow, { eventId, digest, deliveries }: Parcel): Promise<Answer> {
  try {
    const messages = deliveries.map(messageOf);
    const [first] = messages;
    if (!first) throw new Error("a parcel of nothing");
    const message = digest ? digestOf(messages) : first;
    const access = openAccess(ctx, channel);
    const sending = { projectId: channel.projectId, access, message };
    return await send(ctx, { ...sending, eventId, buttons: await buttonsOfMessage(ctx, { ...sending, channel: channel.name }) });
  } catch (error) {
    ctx.log.warn({ err: error, channelId: channel.id }, "a channel cannot be opened");
    return { kind: "failed", status: null, error: "what it takes to send on this channel cannot be opened; save it again", forGood: true };
  }
}

interface Tried {
  readonly channel: ChannelRow;
  readonly parcel: Parcel;
  readonly answer: Answer;
  readonly now: Date;
}

/** Whether they have ended by it. */
async function record(ctx: Ctx, { channel, parcel: { deliveries }, answer, now }: Tried): Promise<boolean> {
  const endedAt = await storedNow(ctx, ctx.db);
  const tries = Math.max(...deliveries.map((each) => each.tries)) + 1;
  const ids = deliveries.map(({ id }) => id);
  const write = (set: Partial<typeof alertDeliveries.$inferInsert>) =>
    ctx.db
      .update(alertDeliveries)
      .set({ status: answer.status, tries, ...set })
      .where(and(inArray(alertDeliveries.id, ids), eq(alertDeliveries.state, "waiting")));
  switch (answer.kind) {
    case "sent":
      await write({ state: "sent", error: null, endedAt });
      // What asked for fewer a moment ago, of another message, still does.
      if (channel.limitedUntil) {
        const lifted = and(eq(alertChannels.id, channel.id), eq(alertChannels.limitedUntil, channel.limitedUntil));
        await ctx.db.update(alertChannels).set({ limitedUntil: null }).where(lifted);
      }
      return true;
    case "limited": {
      const until = new Date(now.getTime() + answer.afterMs);
      // It counts as no try: nothing is wrong with it.
      await write({ nextAt: until, tries: tries - 1, error: "the channel asked for fewer messages", digestId: null });
      await ctx.db.update(alertChannels).set({ limitedUntil: until }).where(eq(alertChannels.id, channel.id));
      return false;
    }
    case "failed": {
      const oldest = Math.min(...deliveries.map(({ createdAt }) => createdAt.getTime()));
      const pauseMs = nextTryMs(answer, { tries, ageMs: now.getTime() - oldest, random: ctx.random() });
      if (pauseMs === null) await write({ state: "failed", error: answer.error, endedAt });
      else await write({ nextAt: new Date(now.getTime() + pauseMs), error: answer.error });
      return pauseMs === null;
    }
  }
}
