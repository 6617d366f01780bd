import { and, eq, ne } from "drizzle-orm";
import { z } from "zod";
import { projects } from "@/db/schema/access";
import { alertDeliveries } from "@/db/schema/alerts";
import { roleIn } from "@/server/domain/access/roles";
import type { Answer } from "@/server/domain/alert/channel";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import type { AlertMessage } from "@/server/engine/alerts/message";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { type ChannelRow, channelNotFound, findChannel, openAccess } from "./channel-row";
import { channelPlaceSchema } from "./remove-channel";
import { send } from "./send";

export interface TestedChannel {
  readonly ok: boolean;
  readonly status: number | null;
  /** What went wrong; null where nothing did. */
  readonly error: string | null;
}

/** Sends a test message at once and says how the channel answered; it stands in the log like any other. */
export async function testChannel(ctx: Ctx, given: z.input<typeof channelPlaceSchema>): Promise<TestedChannel> {
  const channel = await managed(ctx, parseInput(channelPlaceSchema, given).id);
  const { projectId } = channel;
  const [project] = await ctx.db.select({ title: projects.title }).from(projects).where(eq(projects.id, projectId));
  const now = await storedNow(ctx, ctx.db);
  const message: AlertMessage = {
    ...{ kind: "test", alertId: null, no: null, grade: "P4", project: project?.title ?? "", title: `Test of ${channel.name}` },
    ...{
      code: "APOLLO_CHANNEL_TEST_200",
      message: `${actorOf(ctx.principal).label} tests this channel. Nothing is wrong.`,
      object: channel.name,
    },
    ...{
      owner: null,
      count: 1,
      because: null,
      at: now.toISOString(),
      path: "/alerts?tab=channels",
      actionRequired: null,
      facts: [],
      places: [],
    },
  };
  const eventId = ctx.ids.uuid(now);
  const answer = await send(ctx, { projectId, eventId, access: openAccess(ctx, channel), message });
  const tested = { ok: answer.kind === "sent", status: answer.status, error: errorOf(answer) };
  await inTransaction(ctx, async (tx) => {
    await tx.insert(alertDeliveries).values({
      ...{ id: eventId, projectId, channelId: channel.id, message, state: tested.ok ? "sent" : "failed", tries: 1, status: answer.status },
      ...{ error: tested.error, createdAt: now, lastTriedAt: now, endedAt: now, nextAt: now },
    });
    await writeAudit(tx, ctx, {
      projectId,
      verb: "channel.test",
      object: { kind: "channel", id: channel.id, label: channel.name },
      after: tested,
    });
  });
  return tested;
}

/** What an answer complains of, in words; null where it took what was sent. */
export function errorOf(answer: Answer): string | null {
  switch (answer.kind) {
    case "sent":
      return null;
    case "limited":
      return `it asks for fewer messages, for ${Math.ceil(answer.afterMs / 1_000)} s`;
    case "failed":
      return answer.error;
  }
}

export const deliveryPlaceSchema = z.strictObject({ id: z.uuid() });

/** Puts a delivery back into the outbox, under the same event id. */
export async function resendDelivery(ctx: Ctx, given: z.input<typeof deliveryPlaceSchema>): Promise<{ id: string }> {
  const { id } = parseInput(deliveryPlaceSchema, given);
  refuseAnonymous(ctx);
  const [row] = await ctx.db.select().from(alertDeliveries).where(eq(alertDeliveries.id, id));
  const notFound = () =>
    new DomainError("not_found", `there is no delivery ${id}, or you have no role in its project`, { details: { id } });
  if (!row || roleIn(ctx.principal, row.projectId) === null) throw notFound();
  const channel = await managed(ctx, row.channelId);
  await inTransaction(ctx, async (tx) => {
    const again = await tx
      .update(alertDeliveries)
      .set({ state: "waiting", tries: 0, nextAt: await storedNow(ctx, tx), endedAt: null, error: null, digestId: null })
      .where(and(eq(alertDeliveries.id, id), ne(alertDeliveries.state, "waiting")))
      .returning({ id: alertDeliveries.id });
    if (again.length === 0)
      throw new DomainError("stale", "this delivery waits to be sent already; look at the log again", { details: { id } });
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb: "channel.resend",
      object: { kind: "channel", id: channel.id, label: channel.name },
      before: { delivery: id, state: row.state, tries: row.tries },
    });
  });
  ctx.ports.live.changed(row.projectId);
  return { id };
}

/** A channel that the caller may manage; for who has no role in its project it does not exist. */
async function managed(ctx: Ctx, id: string): Promise<ChannelRow> {
  refuseAnonymous(ctx);
  const row = await findChannel(ctx.db, id);
  if (!row || roleIn(ctx.principal, row.projectId) === null) throw channelNotFound(id);
  authorise(ctx, row.projectId, "channel.manage");
  return row;
}
