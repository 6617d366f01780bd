import { eq } from "drizzle-orm";
import { users } from "@/db/schema/access";
import { alerts } from "@/db/schema/alerts";
import type { ChannelAccess } from "@/server/domain/alert/channel";
import { offeredLinks, requiredLink } from "@/server/domain/links/action";
import type { AlertMessage } from "@/server/engine/alerts/message";
import type { Ctx } from "@/server/engine/context";
import { loadLinkFacts, targetOf } from "./link-facts";
import { type MintedLink, mintLinks } from "./mint-links";

interface Sending {
  readonly projectId: string;
  readonly channel: string;
  readonly access: ChannelAccess;
  readonly message: AlertMessage;
}

/**
 * The buttons of a message that is about to be sent, made only now: their tokens stand in no outbox, and their time begins when
 * people can see them. A message goes without them rather than not at all.
 */
export async function buttonsOfMessage(ctx: Ctx, { projectId, channel, access, message }: Sending): Promise<readonly MintedLink[]> {
  if (message.kind !== "alert" || message.alertId === null) return [];
  try {
    const [alert] = await ctx.db.select().from(alerts).where(eq(alerts.id, message.alertId));
    if (!alert) return [];
    const target = await targetOf(ctx.db, alert);
    const facts = await loadLinkFacts(ctx.db, alert.id, target);
    const actions = offeredLinks(facts, requiredLink(alert.actionRequired));
    const [user, maker] = [await onlyReader(ctx, access, message), { kind: "channel", label: channel } as const];
    return await mintLinks(ctx, ctx.db, { projectId, alertId: alert.id, target, facts, actions, maker, user });
  } catch (error) {
    ctx.log.warn({ err: error, alertId: message.alertId }, "a message goes without its buttons");
    return [];
  }
}

/** Who is told, where that is one person with an account; a chat is read by many, and its link becomes the first one's. */
async function onlyReader(ctx: Ctx, access: ChannelAccess, { owner }: AlertMessage): Promise<{ id: string; label: string } | null> {
  if (access.kind !== "email") return null;
  const readers = new Set([...access.to, ...(access.toOwner && owner !== null ? [owner] : [])].map((each) => each.toLowerCase()));
  const [only, ...others] = readers;
  if (only === undefined || others.length > 0) return null;
  const [user] = await ctx.db.select({ id: users.id, label: users.name }).from(users).where(eq(users.email, only));
  return user ?? null;
}
