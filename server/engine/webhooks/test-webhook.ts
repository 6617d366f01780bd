import { and, eq, ne } from "drizzle-orm";
import { z } from "zod";
import { projects } from "@/db/schema/access";
import { webhookDeliveries } from "@/db/schema/webhooks";
import { roleIn } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { GIVE_UP_MS } from "@/server/domain/webhooks/retry";
import { refuseAnonymous } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { errorOf, type TestedChannel } from "@/server/engine/channels/test-channel";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { cloudEvent } from "./compose-event";
import { postEvent } from "./post-event";
import { auditedWebhook, managedWebhook, webhookPlaceSchema } from "./webhook-row";

/** Sends a test event at once and says how it was answered; it stands in the log like any other. */
export async function testWebhook(ctx: Ctx, given: z.input<typeof webhookPlaceSchema>): Promise<TestedChannel> {
  const row = await managedWebhook(ctx, ctx.db, parseInput(webhookPlaceSchema, given).id);
  const [project] = await ctx.db.select({ key: projects.key }).from(projects).where(eq(projects.id, row.projectId));
  const now = await storedNow(ctx, ctx.db);
  const id = ctx.ids.uuid(now);
  const data = { message: `${actorOf(ctx.principal).label} tests this webhook. Nothing has happened.` };
  const event = cloudEvent(
    { id: `test-${id}`, type: "webhook.test", subject: `webhooks/${row.id}`, at: now, data, path: "/settings?tab=webhooks" },
    { projectKey: project?.key ?? "", baseUrl: ctx.ports.baseUrl },
  );
  const { answer, ms, response } = await postEvent(ctx, row, { eventId: event.id, event });
  const tested = { ok: answer.kind === "sent", status: answer.status, error: errorOf(answer) };
  await inTransaction(ctx, async (tx) => {
    await tx.insert(webhookDeliveries).values({
      ...{ id, projectId: row.projectId, webhookId: row.id, eventId: event.id, type: "webhook.test", subject: event.subject, event },
      ...{ state: tested.ok ? "sent" : "failed", tries: 1, status: answer.status, ms, response, error: tested.error },
      ...{ createdAt: now, lastTriedAt: now, endedAt: now, nextAt: now, giveUpAt: now },
    });
    await writeAudit(tx, ctx, { projectId: row.projectId, verb: "webhook.test", object: auditedWebhook(row), after: tested });
  });
  return tested;
}

export const webhookDeliveryPlaceSchema = z.strictObject({ id: z.uuid() });

/** Puts a delivery back into the outbox, under the same event id. */
export async function resendEvent(ctx: Ctx, given: z.input<typeof webhookDeliveryPlaceSchema>): Promise<{ id: string }> {
  const { id } = parseInput(webhookDeliveryPlaceSchema, given);
  refuseAnonymous(ctx);
  const [delivery] = await ctx.db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id));
  if (!delivery || roleIn(ctx.principal, delivery.projectId) === null)
    throw new DomainError("not_found", `there is no delivery ${id}, or you have no role in its project`, { details: { id } });
  await inTransaction(ctx, async (tx) => {
    const row = await managedWebhook(ctx, tx, delivery.webhookId);
    const now = await storedNow(ctx, tx);
    const again = await tx
      .update(webhookDeliveries)
      .set({ state: "waiting", tries: 0, nextAt: now, giveUpAt: new Date(now.getTime() + GIVE_UP_MS), endedAt: null, error: null })
      .where(and(eq(webhookDeliveries.id, id), ne(webhookDeliveries.state, "waiting")))
      .returning({ id: webhookDeliveries.id });
    if (again.length === 0)
      throw new DomainError("stale", "this delivery waits to be sent already; look at the log again", { details: { id } });
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb: "webhook.resend",
      object: auditedWebhook(row),
      before: { delivery: id, state: delivery.state, tries: delivery.tries },
    });
  });
  ctx.ports.live.changed(delivery.projectId);
  return { id };
}
