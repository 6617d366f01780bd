import { and, asc, desc, eq, isNull, lt } from "drizzle-orm";
import { z } from "zod";
import { webhookDeliveries, webhooks } from "@/db/schema/webhooks";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise } from "@/server/engine/access/authorise";
import type { DeliveryState } from "@/server/engine/channels/list-channels";
import type { Ctx } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";

export const webhooksOfSchema = z.strictObject({ projectId: z.uuid() });

export interface WebhookView {
  readonly id: string;
  readonly name: string;
  /** The host that it leads to; never the address itself. */
  readonly target: string;
  readonly events: readonly string[];
  readonly state: "on" | "paused" | "failing" | "disabled";
  readonly revision: number;
  readonly why: string | null;
  readonly failingSince: Date | null;
  readonly resumeAt: Date | null;
  /** While the secret before this one signs too. */
  readonly previousUntil: Date | null;
  readonly waiting: number;
  readonly last: { readonly at: Date; readonly state: DeliveryState; readonly error: string | null } | null;
}

/** The webhooks of a project, with how each does. Index: webhook_deliveries_log, webhook_deliveries_waiting. */
export async function listWebhooks(ctx: Ctx, given: z.input<typeof webhooksOfSchema>): Promise<readonly WebhookView[]> {
  const { projectId } = parseInput(webhooksOfSchema, given);
  authorise(ctx, projectId, "project.read");
  const now = await storedNow(ctx, ctx.db);
  const rows = await ctx.db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.projectId, projectId), isNull(webhooks.deletedAt)))
    .orderBy(asc(webhooks.name));
  const views: WebhookView[] = [];
  for (const row of rows) {
    const own = eq(webhookDeliveries.webhookId, row.id);
    const waiting = await ctx.db.$count(webhookDeliveries, and(own, eq(webhookDeliveries.state, "waiting")));
    const [last] = await ctx.db.select().from(webhookDeliveries).where(own).orderBy(desc(webhookDeliveries.seq)).limit(1);
    views.push({
      ...{ id: row.id, name: row.name, target: row.target, events: row.events, revision: row.revision, waiting },
      ...{ state: stateOf(row), why: row.disabledWhy, failingSince: row.failingSince, resumeAt: row.resumeAt },
      previousUntil: row.previousUntil && row.previousUntil > now ? row.previousUntil : null,
      last: last ? { at: last.lastTriedAt ?? last.createdAt, state: last.state as DeliveryState, error: last.error } : null,
    });
  }
  return views;
}

function stateOf({ enabled, disabledAt, failingSince }: typeof webhooks.$inferSelect): WebhookView["state"] {
  if (disabledAt !== null) return "disabled";
  if (!enabled) return "paused";
  return failingSince === null ? "on" : "failing";
}

export const webhookDeliveriesSchema = z.strictObject({
  projectId: z.uuid(),
  webhookId: z.uuid(),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, { error: "hand back the cursor of the page before" })
    .optional(),
  limit: pageLimitSchema,
});

export interface WebhookDeliveryView {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly event: unknown;
  readonly state: DeliveryState;
  readonly tries: number;
  readonly status: number | null;
  readonly ms: number | null;
  readonly error: string | null;
  readonly response: string | null;
  readonly createdAt: Date;
  readonly nextAt: Date | null;
}

/** What was sent to a webhook, newest first. Index: webhook_deliveries_log. */
export async function listWebhookDeliveries(ctx: Ctx, given: z.input<typeof webhookDeliveriesSchema>): Promise<Page<WebhookDeliveryView>> {
  const { projectId, webhookId, cursor, limit } = parseInput(webhookDeliveriesSchema, given);
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db
    .select()
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.webhookId, webhookId),
        eq(webhookDeliveries.projectId, projectId),
        cursor === undefined ? undefined : lt(webhookDeliveries.seq, Number(cursor)),
      ),
    )
    .orderBy(desc(webhookDeliveries.seq))
    .limit(limit + 1);
  return pageOf(
    rows,
    limit,
    ({ seq }) => String(seq),
    ({ id, eventId, type, subject, event, state, tries, status, ms, error, response, createdAt, nextAt }) => ({
      ...{ id, eventId, type, subject, event, state: state as DeliveryState, tries, status, ms, error, response, createdAt },
      nextAt: state === "waiting" ? nextAt : null,
    }),
  );
}
