import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { projects } from "@/db/schema/access";
import { webhooks } from "@/db/schema/webhooks";
import { postAddressSchema } from "@/server/domain/alert/channel";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { eventPatternSchema } from "@/server/domain/webhooks/told-events";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { endDisabled } from "./disable-webhook";
import {
  auditedWebhook,
  lockWebhook,
  newSecret,
  openWebhook,
  sealAccess,
  toldOf,
  type WebhookRow,
  webhookAsSeenSchema,
} from "./webhook-row";

const name = z.string().trim().min(1).max(80);
const events = z.array(eventPatternSchema).min(1).max(30);

export const createWebhookSchema = z.strictObject({ projectId: z.uuid(), name, url: postAddressSchema, events });
export const changeWebhookSchema = webhookAsSeenSchema.extend({
  name,
  events,
  /** Left out, it stays; it is never read back. */
  url: postAddressSchema.optional(),
});

/** Subscribes an address to what happens from now on. Its signing secret is told this once (EXC-4). */
export async function createWebhook(
  ctx: Ctx,
  given: z.input<typeof createWebhookSchema>,
): Promise<{ id: string; revision: number; secret: string }> {
  const { projectId, name, url, events } = parseInput(createWebhookSchema, given);
  authorise(ctx, projectId, "webhook.manage");
  const [id, secret] = [ctx.ids.uuid(), newSecret(ctx)];
  await inTransaction(ctx, async (tx) => {
    await freeName(tx, projectId, name, null);
    const sealed = sealAccess(ctx, projectId, id, 1, { url, secret, previous: null });
    const createdBy = actorOf(ctx.principal).label;
    await tx.insert(webhooks).values({
      ...{ id, projectId, name, events: [...new Set(events)], ...sealed, createdBy, createdAt: await storedNow(ctx, tx) },
      ...(await endOfSources(tx)),
    });
    await writeAudit(tx, ctx, {
      projectId,
      verb: "webhook.create",
      object: auditedWebhook({ id, name }),
      after: toldOf({ name, target: sealed.target, events, enabled: true }),
    });
  });
  ctx.ports.live.changed(projectId);
  return { id, revision: 1, secret };
}

/** Changes what a webhook is called, takes, or leads to; a change that saw an older one is refused. */
export async function changeWebhook(ctx: Ctx, given: z.input<typeof changeWebhookSchema>): Promise<{ id: string; revision: number }> {
  const { name, events, url, ...seen } = parseInput(changeWebhookSchema, given);
  const row = await inTransaction(ctx, async (tx) => {
    const before = await lockWebhook(ctx, tx, seen);
    await freeName(tx, before.projectId, name, before.id);
    const access = url === undefined ? null : { ...openWebhook(ctx, before), url };
    const sealed = access && sealAccess(ctx, before.projectId, before.id, before.sealedVersion + 1, access);
    const [after] = await tx
      .update(webhooks)
      .set({ name, events: [...new Set(events)], ...sealed, ...(sealed ? WELL : {}), revision: before.revision + 1 })
      .where(eq(webhooks.id, before.id))
      .returning();
    await audit(ctx, tx, "webhook.change", before, after);
    return { id: before.id, projectId: before.projectId, revision: before.revision + 1 };
  });
  ctx.ports.live.changed(row.projectId);
  return { id: row.id, revision: row.revision };
}

export const setWebhookEnabledSchema = webhookAsSeenSchema.extend({ enabled: z.boolean() });

/** Pauses a webhook, or lets it go on from where it stopped; also one that was switched off because it failed. */
export async function setWebhookEnabled(ctx: Ctx, given: z.input<typeof setWebhookEnabledSchema>): Promise<{ revision: number }> {
  const { enabled, ...seen } = parseInput(setWebhookEnabledSchema, given);
  const { projectId, revision } = await inTransaction(ctx, async (tx) => {
    const before = await lockWebhook(ctx, tx, seen);
    const [after] = await tx
      .update(webhooks)
      .set({ enabled, ...(enabled ? { ...WELL, disabledAt: null, disabledWhy: null } : {}), revision: before.revision + 1 })
      .where(eq(webhooks.id, before.id))
      .returning();
    if (before.disabledAt !== null && enabled) await endDisabled(ctx, tx, before);
    await audit(ctx, tx, enabled ? "webhook.resume" : "webhook.pause", before, after);
    return { projectId: before.projectId, revision: before.revision + 1 };
  });
  ctx.ports.live.changed(projectId);
  return { revision };
}

/** Takes a webhook away; its log stays for a while, what waits is not sent. */
export async function removeWebhook(ctx: Ctx, given: z.input<typeof webhookAsSeenSchema>): Promise<void> {
  const seen = parseInput(webhookAsSeenSchema, given);
  const projectId = await inTransaction(ctx, async (tx) => {
    const before = await lockWebhook(ctx, tx, seen);
    await tx
      .update(webhooks)
      .set({ deletedAt: await storedNow(ctx, tx) })
      .where(eq(webhooks.id, before.id));
    if (before.disabledAt !== null) await endDisabled(ctx, tx, before);
    await audit(ctx, tx, "webhook.delete", before, undefined);
    return before.projectId;
  });
  ctx.ports.live.changed(projectId);
}

const WELL = { failures: 0, failingSince: null, resumeAt: null } as const;

async function audit(ctx: Ctx, tx: Tx, verb: string, before: WebhookRow, after: WebhookRow | undefined): Promise<void> {
  await writeAudit(tx, ctx, {
    projectId: before.projectId,
    verb,
    object: auditedWebhook(after ?? before),
    before: toldOf(before),
    ...(after ? { after: toldOf(after) } : {}),
  });
}

async function freeName(tx: Tx, projectId: string, name: string, own: string | null): Promise<void> {
  await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for("update");
  const named = await tx.query.webhooks.findFirst({
    where: (row, { and, eq: is, isNull }) => and(is(row.projectId, projectId), is(row.name, name), isNull(row.deletedAt)),
  });
  if (named && named.id !== own)
    throw new DomainError("conflict", `there is a webhook "${name}" already; give this one another name`, { details: { id: named.id } });
}

/** Where the sources stand now. */
async function endOfSources(tx: Tx): Promise<{ runCursor: number; busCursor: number }> {
  const [row] = await tx.execute<{ run: string; bus: string }>(sql`
    select r.last_value - (not r.is_called)::integer as run, b.last_value - (not b.is_called)::integer as bus
    from run_event_ids r, bus_events_id_seq b
  `);
  return { runCursor: Number(row?.run ?? 0), busCursor: Number(row?.bus ?? 0) };
}
