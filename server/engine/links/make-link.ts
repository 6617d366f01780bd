import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "@/db/client";
import { alerts } from "@/db/schema/alerts";
import { roleIn } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { LINK_ACTIONS, type LinkAction, offeredLinks, requiredLink } from "@/server/domain/links/action";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import { alertNotFound } from "@/server/engine/alerts/alert-view";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { type FoundFacts, loadLinkFacts, targetOf } from "./link-facts";
import { type MintedLink, mintLinks } from "./mint-links";

export const offeredSchema = z.strictObject({ alertId: z.uuid() });
export const makeLinkSchema = offeredSchema.extend({ action: z.enum(LINK_ACTIONS) });

export interface OfferedLinks {
  /** What can be done now; what the alert says is to be done comes first. */
  readonly actions: readonly LinkAction[];
  readonly required: LinkAction | null;
}

/** The buttons of an alert, as its message would carry them now. */
export async function offeredLinksOf(ctx: Ctx, given: z.input<typeof offeredSchema>): Promise<OfferedLinks> {
  const { alertId } = parseInput(offeredSchema, given);
  const alert = await visibleAlert(ctx, ctx.db, alertId);
  authorise(ctx, alert.projectId, "project.read");
  const required = requiredLink(alert.actionRequired);
  return { actions: offeredLinks(await loadLinkFacts(ctx.db, alertId, await targetOf(ctx.db, alert)), required), required };
}

/** A button pressed in the console: a link of the person's own, which leads to the same page as one in a message. */
export async function makeLink(ctx: Ctx, given: z.input<typeof makeLinkSchema>): Promise<MintedLink> {
  const { alertId, action } = parseInput(makeLinkSchema, given);
  return inTransaction(ctx, async (tx) => {
    const alert = await visibleAlert(ctx, tx, alertId);
    authorise(ctx, alert.projectId, "alert.handle");
    const target = await targetOf(tx, alert);
    const facts = await loadLinkFacts(tx, alertId, target);
    if (!offeredLinks(facts, requiredLink(alert.actionRequired)).includes(action)) throw notPossible(alert.no, action, facts);
    const { id, label } = actorOf(ctx.principal);
    const user = { id, label };
    const maker = { kind: "person", label } as const;
    const [link] = await mintLinks(ctx, tx, { projectId: alert.projectId, alertId, target, facts, actions: [action], maker, user });
    if (!link) throw new Error("no link was made");
    await writeAudit(tx, ctx, {
      projectId: alert.projectId,
      verb: "link.make",
      object: { kind: "alert", id: alertId, label: `#${alert.no} ${alert.code}` },
      after: { action, expiresAt: link.expiresAt.toISOString() },
    });
    return link;
  });
}

const notPossible = (no: number, action: LinkAction, { node, run }: FoundFacts) =>
  new DomainError("stale", `${action} is not possible for alert #${no} any more; look at it again`, {
    details: { action, node: node?.state ?? null, run: run?.state ?? null },
  });

async function visibleAlert(ctx: Ctx, db: Executor, alertId: string): Promise<typeof alerts.$inferSelect> {
  refuseAnonymous(ctx);
  const [alert] = await db.select().from(alerts).where(eq(alerts.id, alertId));
  if (!alert || roleIn(ctx.principal, alert.projectId) === null) throw alertNotFound(alertId);
  return alert;
}
