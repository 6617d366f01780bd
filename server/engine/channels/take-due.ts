import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { alertChannels, alertDeliveries } from "@/db/schema/alerts";
import { type ChannelKind, recentOf, roomOf, USUAL_PER_MINUTE } from "@/server/domain/alert/channel";
import { type Ctx, inTransaction } from "@/server/engine/context";
import type { Guard } from "@/server/engine/leadership/guard";
import type { ChannelRow } from "./channel-row";

export type DeliveryRow = typeof alertDeliveries.$inferSelect;

/** What goes as one message: a delivery by itself, or several as a digest under an event id of its own. */
export interface Parcel {
  readonly eventId: string;
  readonly digest: boolean;
  readonly deliveries: readonly DeliveryRow[];
}

export interface Lot {
  readonly channel: ChannelRow;
  readonly parcels: readonly Parcel[];
}

/** At one channel at a time; more of them wait for its next turn, so that none floods its receiver. */
const AT_ONCE = 5;
/** Of one digest; what is beyond goes with the next. */
const MOST_TOGETHER = 200;
/** Whoever takes a delivery and dies is followed after this: it is sent once more, under the same id. */
const TAKEN_FOR_MS = 30_000;

/** Channels that have something to send. Index: alert_deliveries_due, a probe each. */
export async function dueChannels(ctx: Ctx, now: Date): Promise<string[]> {
  const rows = await ctx.db.execute<{ id: string }>(sql`
    select c.id from alert_channels c where exists (
      select from alert_deliveries d where d.channel_id = c.id and d.state = 'waiting' and d.next_at <= ${now.toISOString()}::timestamptz
    ) order by c.id
  `);
  return rows.map(({ id }) => id);
}

/**
 * Takes what one channel may send now. A try is written down before it is made: a sender that dies at any step leaves a
 * delivery that is due again, so each is delivered at least once (B93). Null where somebody else sends on it.
 */
export const takeDue = (ctx: Ctx, guard: Guard, channelId: string, now: Date): Promise<Lot | null> =>
  inTransaction(ctx, async (tx) => {
    await guard.require(tx);
    const [channel] = await tx.select().from(alertChannels).where(eq(alertChannels.id, channelId)).for("update", { skipLocked: true });
    if (!channel) return null;
    const due = and(eq(alertDeliveries.channelId, channelId), eq(alertDeliveries.state, "waiting"), lte(alertDeliveries.nextAt, now));
    if (channel.deletedAt || !channel.enabled) {
      const error = channel.deletedAt ? "the channel was removed" : "the channel is switched off";
      await tx.update(alertDeliveries).set({ state: "failed", error, endedAt: now }).where(due);
      return { channel, parcels: [] };
    }
    const spent = (channel.spent ?? []).map((at) => new Date(at));
    const { room, nextAt } = roomOf(spent, channel.perMinute ?? USUAL_PER_MINUTE[channel.kind as ChannelKind], now);
    const until = channel.limitedUntil && channel.limitedUntil > now ? channel.limitedUntil : nextAt;
    if (until) {
      await tx.update(alertDeliveries).set({ nextAt: until }).where(due);
      await tx.update(alertChannels).set({ limitedUntil: until }).where(eq(alertChannels.id, channelId));
      return { channel, parcels: [] };
    }
    const rows = await tx
      .select()
      .from(alertDeliveries)
      .where(due)
      .orderBy(asc(alertDeliveries.nextAt), asc(alertDeliveries.id))
      .limit(MOST_TOGETHER)
      .for("update");
    const parcels = packed(ctx, rows, { room, together: channel.limitedUntil !== null, now });
    await note(tx, channelId, { parcels, now, spent: recentOf(spent, now) });
    return { channel, parcels };
  });

interface Room {
  readonly room: number;
  /** It had to wait because there was too much of it. */
  readonly together: boolean;
  readonly now: Date;
}

/** Digests that were begun go on as they were; of the rest all that there is room for, or one digest. */
function packed(ctx: Ctx, rows: readonly DeliveryRow[], { room, together, now }: Room): Parcel[] {
  const begun = new Map<string, DeliveryRow[]>();
  for (const row of rows) if (row.digestId !== null) begun.set(row.digestId, [...(begun.get(row.digestId) ?? []), row]);
  const again = [...begun].map(([eventId, deliveries]): Parcel => ({ eventId, digest: true, deliveries })).slice(0, room);
  const left = room - again.length;
  const fresh = rows.filter(({ digestId }) => digestId === null);
  if (left === 0 || fresh.length === 0) return again;
  if (fresh.length > 1 && (together || fresh.length > left)) {
    return [...again, { eventId: ctx.ids.uuid(now), digest: true, deliveries: fresh }];
  }
  const single = fresh.slice(0, Math.min(left, AT_ONCE));
  return [...again, ...single.map((row): Parcel => ({ eventId: row.id, digest: false, deliveries: [row] }))];
}

async function note(
  tx: Tx,
  channelId: string,
  { parcels, now, spent }: { readonly parcels: readonly Parcel[]; readonly now: Date; readonly spent: readonly Date[] },
): Promise<void> {
  const nextAt = new Date(now.getTime() + TAKEN_FOR_MS);
  for (const { eventId, digest, deliveries } of parcels) {
    const ids = deliveries.map(({ id }) => id);
    await tx
      .update(alertDeliveries)
      .set({ nextAt, lastTriedAt: now, tries: sql`${alertDeliveries.tries} + 1`, digestId: digest ? eventId : null })
      .where(inArray(alertDeliveries.id, ids));
  }
  const times = [...spent, ...parcels.map(() => now)].map((at) => at.toISOString());
  await tx.update(alertChannels).set({ spent: times }).where(eq(alertChannels.id, channelId));
}
