import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "@/db/client";
import { alerts } from "@/db/schema/alerts";
import { actionLinks } from "@/db/schema/links";
import { roleIn } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { LINK_PERMISSIONS, type LinkAction, type LinkRefusal, linkTargetSchema } from "@/server/domain/links/action";
import { authorise, authorisePlatform } from "@/server/engine/access/authorise";
import { fingerprint } from "@/server/engine/access/fingerprint";
import type { Ctx } from "@/server/engine/context";

export const linkSchema = z.strictObject({ token: z.string().regex(/^[0-9a-f]{64}$/, { error: "is no link of this product" }) });

export type LinkRow = Awaited<ReturnType<typeof loadLink>>;

/** A link by its token, with the alert that it is of; for who has no role in its project it does not exist. */
export async function loadLink(ctx: Ctx, db: Executor, token: string) {
  const [row] = await db
    .select({ link: actionLinks, alert: alerts })
    .from(actionLinks)
    .innerJoin(alerts, eq(alerts.id, actionLinks.alertId))
    .where(eq(actionLinks.hash, fingerprint(token)));
  if (!row || roleIn(ctx.principal, row.link.projectId) === null) {
    throw new DomainError("not_found", "there is no such link (a link is removed a day after its end), or you have no role in its project");
  }
  authorise(ctx, row.link.projectId, "alert.handle");
  return {
    ...row.link,
    action: row.link.action as LinkAction,
    target: linkTargetSchema.parse(row.link.target),
    alert: row.alert,
  };
}

/** Refuses who may not do what the link does. */
export function authoriseLink(ctx: Ctx, { action, projectId }: Pick<LinkRow, "action" | "projectId">): void {
  const needed = LINK_PERMISSIONS[action];
  if (needed === "administrator") authorisePlatform(ctx);
  else authorise(ctx, projectId, needed);
}

const TOLD: { readonly [R in LinkRefusal["reason"]]: (refusal: Extract<LinkRefusal, { reason: R }>) => string } = {
  used: ({ by, at }) => `this link was used by ${by} at ${at.toISOString()}`,
  expired: ({ at }) => `this link ended at ${at.toISOString()}`,
  anothers: ({ by }) => `this link is ${by}'s`,
  archived: () => "the pipeline was put away",
  moved: ({ was, now }) => `it was ${was} when this link was made, and is ${now} now`,
};

/** A link that does nothing, as what a caller can act on. */
export function refusedLink(refusal: LinkRefusal, { target }: Pick<LinkRow, "target">): DomainError {
  const tell = TOLD[refusal.reason] as (refusal: LinkRefusal) => string;
  const message = `${tell(refusal)}; open the alert, which has the buttons that are possible now`;
  return new DomainError("stale", message, { details: { refusal: { ...refusal }, runId: target.runId } });
}
