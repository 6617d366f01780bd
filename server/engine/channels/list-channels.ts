import { and, asc, desc, eq, gt, isNull, lt, sql } from "drizzle-orm";
import { z } from "zod";
import { alertChannels, alertDeliveries, alerts } from "@/db/schema/alerts";
import type { ChannelKind } from "@/server/domain/alert/channel";
import type { Grade } from "@/server/domain/alert/grade";
import { parseInput } from "@/server/domain/input";
import { idCursorSchema, type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise } from "@/server/engine/access/authorise";
import { alertMessageSchema } from "@/server/engine/alerts/message";
import type { Ctx } from "@/server/engine/context";

export interface ChannelView {
  readonly id: string;
  readonly name: string;
  readonly kind: ChannelKind;
  /** Where it leads: the host, or the receivers of mail. Never the address itself. */
  readonly target: string;
  readonly grade: Grade;
  readonly pattern: string;
  readonly enabled: boolean;
  readonly revision: number;
  readonly limitedUntil: Date | null;
  readonly last: { readonly at: Date; readonly state: DeliveryState; readonly error: string | null } | null;
  readonly waiting: number;
  /** Deliveries of the last week that were given up; each can be sent again. */
  readonly givenUp: number;
  /** Messages in a minute that it is sent; null for what is usual of its kind. */
  readonly perMinute: number | null;
}

export type DeliveryState = "waiting" | "sent" | "failed";
export const channelsOfSchema = z.strictObject({ projectId: z.uuid() });

/** The channels of a project with how their last delivery went. Index: alert_deliveries_channel. */
export async function listChannels(ctx: Ctx, given: z.input<typeof channelsOfSchema>): Promise<readonly ChannelView[]> {
  const { projectId } = parseInput(channelsOfSchema, given);
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db
    .select()
    .from(alertChannels)
    .where(and(eq(alertChannels.projectId, projectId), isNull(alertChannels.deletedAt)))
    .orderBy(asc(alertChannels.name));
  const views: ChannelView[] = [];
  for (const row of rows) {
    const [last] = await ctx.db
      .select()
      .from(alertDeliveries)
      .where(eq(alertDeliveries.channelId, row.id))
      .orderBy(desc(alertDeliveries.id))
      .limit(1);
    const waiting = await ctx.db.$count(alertDeliveries, and(eq(alertDeliveries.channelId, row.id), eq(alertDeliveries.state, "waiting")));
    const week = gt(alertDeliveries.endedAt, sql`now() - interval '7 days'`);
    const givenUp = await ctx.db.$count(
      alertDeliveries,
      and(eq(alertDeliveries.channelId, row.id), eq(alertDeliveries.state, "failed"), week),
    );
    views.push({
      ...{ id: row.id, name: row.name, kind: row.kind as ChannelKind, target: row.target, grade: row.grade as Grade },
      ...{
        pattern: row.pattern,
        enabled: row.enabled,
        revision: row.revision,
        limitedUntil: row.limitedUntil,
        waiting,
        givenUp,
        perMinute: row.perMinute,
      },
      last: last ? { at: last.lastTriedAt ?? last.createdAt, state: last.state as DeliveryState, error: last.error } : null,
    });
  }
  return views;
}

export const deliveryFilterSchema = z.strictObject({
  projectId: z.uuid(),
  channelId: z.uuid(),
  cursor: idCursorSchema.optional(),
  limit: pageLimitSchema,
});

export interface DeliveryView {
  readonly id: string;
  readonly title: string;
  readonly kind: "alert" | "test" | "digest";
  readonly alert: { readonly id: string; readonly no: number } | null;
  readonly state: DeliveryState;
  readonly tries: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly nextAt: Date | null;
  readonly endedAt: Date | null;
  /** It went as part of the digest under this event id. */
  readonly digestId: string | null;
}

/** The delivery log of a channel, newest first. Index: alert_deliveries_channel. */
export async function listDeliveries(ctx: Ctx, given: z.input<typeof deliveryFilterSchema>): Promise<Page<DeliveryView>> {
  const { projectId, channelId, cursor, limit } = parseInput(deliveryFilterSchema, given);
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db
    .select({ delivery: alertDeliveries, no: sql<number | null>`${alerts.no}` })
    .from(alertDeliveries)
    .leftJoin(alerts, eq(alerts.id, alertDeliveries.alertId))
    .where(
      and(
        eq(alertDeliveries.projectId, projectId),
        eq(alertDeliveries.channelId, channelId),
        cursor === undefined ? undefined : lt(alertDeliveries.id, cursor),
      ),
    )
    .orderBy(desc(alertDeliveries.id))
    .limit(limit + 1);
  return pageOf(rows, limit, ({ delivery }) => delivery.id, deliveryView);
}

function deliveryView({ delivery, no }: { delivery: typeof alertDeliveries.$inferSelect; no: number | null }): DeliveryView {
  const { title, kind } = alertMessageSchema.parse(delivery.message);
  const { id, tries, status, error, createdAt, endedAt, digestId, alertId } = delivery;
  const state = delivery.state as DeliveryState;
  return {
    ...{ id, title, kind, state, tries, status, error, createdAt, endedAt, digestId },
    alert: alertId === null || no === null ? null : { id: alertId, no },
    nextAt: state === "waiting" ? delivery.nextAt : null,
  };
}
