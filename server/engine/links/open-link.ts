import { and, eq, isNull, or } from "drizzle-orm";
import type { z } from "zod";
import type { Tx } from "@/db/client";
import { projects } from "@/db/schema/access";
import { actionLinks } from "@/db/schema/links";
import { pipelines } from "@/db/schema/pipelines";
import type { Grade } from "@/server/domain/alert/grade";
import { parseInput } from "@/server/domain/input";
import { LINK_PERMISSIONS, type LinkAction, type LinkRefusal, type LinkTarget, refusalOfLink } from "@/server/domain/links/action";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { effectOf, type LinkEffect } from "./link-effect";
import { loadLinkFacts } from "./link-facts";
import { type LinkRow, linkSchema, loadLink } from "./link-row";

export interface LinkView {
  readonly action: LinkAction;
  readonly target: LinkTarget;
  readonly project: string;
  readonly pipeline: string | null;
  readonly alert: { readonly id: string; readonly no: number; readonly grade: Grade; readonly code: string; readonly message: string };
  readonly label: string;
  /** Who asks: the channel whose message carries it, or the person who pressed the button. */
  readonly maker: { readonly kind: "channel" | "person"; readonly label: string };
  readonly madeAt: Date;
  readonly expiresAt: Date;
  /** Why it does nothing; null where it may act. */
  readonly refusal: LinkRefusal | null;
  /** It takes an administrator of the installation, and this person is none. */
  readonly forbidden: boolean;
  readonly effect: LinkEffect | null;
}

/** What a link will do. It does nothing yet, but for becoming the link of who opens it where it was nobody's. */
export async function openLink(ctx: Ctx, given: z.input<typeof linkSchema>): Promise<LinkView> {
  const { token } = parseInput(linkSchema, given);
  refuseAnonymous(ctx);
  const now = await storedNow(ctx, ctx.db);
  const { link, facts, refusal } = await inTransaction(ctx, async (tx) => {
    const link = await loadLink(ctx, tx, token);
    authorise(ctx, link.projectId, "alert.handle");
    const facts = await loadLinkFacts(tx, link.alertId, link.target);
    const refusal = refusalOfLink(link, facts, { userId: actorOf(ctx.principal).id, now });
    if (refusal !== null || isForbidden(ctx, link.action) || (await bind(ctx, tx, link, now))) return { link, facts, refusal };
    // Somebody else was faster between the two statements.
    const again = await loadLink(ctx, tx, token);
    return { link: again, facts, refusal: refusalOfLink(again, facts, { userId: actorOf(ctx.principal).id, now }) };
  });
  const [project] = await ctx.db.select({ title: projects.title }).from(projects).where(eq(projects.id, link.projectId));
  const [pipeline] =
    link.target.pipelineId === null
      ? []
      : await ctx.db.select({ title: pipelines.title }).from(pipelines).where(eq(pipelines.id, link.target.pipelineId));
  const { id, no, grade, code, message, label } = link.alert;
  return {
    ...{ action: link.action, target: link.target, project: project?.title ?? "", pipeline: pipeline?.title ?? null, label, refusal },
    ...{ maker: link.maker, madeAt: link.createdAt, expiresAt: link.expiresAt, forbidden: isForbidden(ctx, link.action) },
    alert: { id, no, grade: grade as Grade, code, message },
    effect: refusal !== null || facts.alert === null ? null : await effectOf(ctx, link, now),
  };
}

function isForbidden({ principal }: Ctx, action: LinkAction): boolean {
  return LINK_PERMISSIONS[action] === "administrator" && !(principal.kind === "user" && principal.isAdmin);
}

/** Makes a link that was nobody's, or is opened by its own person for the first time, that person's; false where it is another's by now. */
async function bind(ctx: Ctx, tx: Tx, link: LinkRow, now: Date): Promise<boolean> {
  const { id, label } = actorOf(ctx.principal);
  if (link.openedAt !== null) return true;
  const bound = await tx
    .update(actionLinks)
    .set({ userId: id, userLabel: label, openedAt: now })
    .where(and(eq(actionLinks.hash, link.hash), isNull(actionLinks.openedAt), or(isNull(actionLinks.userId), eq(actionLinks.userId, id))))
    .returning({ hash: actionLinks.hash });
  if (bound.length === 0) return false;
  await writeAudit(tx, ctx, {
    projectId: link.projectId,
    verb: "link.open",
    object: { kind: "alert", id: link.alertId, label: `#${link.alert.no} ${link.alert.code}` },
    after: { action: link.action, maker: link.maker.label },
  });
  return true;
}
