import { and, eq, gt, isNull, or } from "drizzle-orm";
import type { z } from "zod";
import type { Tx } from "@/db/client";
import { actionLinks } from "@/db/schema/links";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { type LinkAction, MUTE_MS, refusalOfLink } from "@/server/domain/links/action";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import { acknowledgeAlert } from "@/server/engine/alerts/act-on-alert";
import { createSilence } from "@/server/engine/alerts/silences";
import { holdWorker } from "@/server/engine/breaker/hold-worker";
import { actorOf, type Ctx } from "@/server/engine/context";
import { setPipelineEnabled } from "@/server/engine/pipelines/set-enabled";
import { cancelRun } from "@/server/engine/runs/cancel-run";
import { retryNode } from "@/server/engine/runs/retry-node";
import { skipNode } from "@/server/engine/runs/skip-node";
import { storedNow } from "@/server/engine/stored-clock";
import { drainWorker } from "@/server/engine/workers/drain-worker";
import { type FoundFacts, loadLinkFacts } from "./link-facts";
import { authoriseLink, type LinkRow, linkSchema, loadLink, refusedLink } from "./link-row";

export interface PressedLink {
  readonly action: LinkAction;
  readonly alertId: string;
  readonly runId: string | null;
}

/** A run that moves between the look and the deed is looked at anew, so that only a move of what the link is bound to counts. */
const MOST_LOOKS = 5;

/**
 * Does what a link says, once (ALT-6): the link is taken in the transaction of the deed, which writes its one audit row, so that of two
 * who press at once one acts and the other is told who did.
 */
export async function pressLink(ctx: Ctx, given: z.input<typeof linkSchema>): Promise<PressedLink> {
  const { token } = parseInput(linkSchema, given);
  refuseAnonymous(ctx);
  const press = ctx.ids.uuid();
  for (let looks = 1; ; looks++) {
    const link = await loadLink(ctx, ctx.db, token);
    authorise(ctx, link.projectId, "alert.handle");
    const facts = await loadLinkFacts(ctx.db, link.alertId, link.target);
    const now = await storedNow(ctx, ctx.db);
    const refusal = refusalOfLink(link, facts, { userId: actorOf(ctx.principal).id, now });
    if (refusal) throw refusedLink(refusal, link);
    authoriseLink(ctx, link);
    try {
      await act({ ...ctx, first: (tx) => take(ctx, tx, link, { press, now }) }, link, facts, now);
      return { action: link.action, alertId: link.alertId, runId: link.target.runId };
    } catch (error) {
      if (!(error instanceof DomainError) || !["stale", "conflict", "illegal_transition"].includes(error.code) || looks === MOST_LOOKS)
        throw error;
      const moved = refusalOfLink(await loadLink(ctx, ctx.db, token), facts, { userId: actorOf(ctx.principal).id, now });
      if (moved) throw refusedLink(moved, link);
      if (error.code !== "stale" || !("expectedSeq" in error.details)) throw error;
    }
  }
}

/** Takes the link for this press; the row stays locked until the deed is committed, and is free again where it is not. */
async function take(ctx: Ctx, tx: Tx, { hash }: LinkRow, { press, now }: { press: string; now: Date }): Promise<void> {
  const { id, label } = actorOf(ctx.principal);
  const free = and(isNull(actionLinks.usedAt), gt(actionLinks.expiresAt, now), or(isNull(actionLinks.userId), eq(actionLinks.userId, id)));
  const taken = await tx
    .update(actionLinks)
    .set({ usedAt: now, usedBy: label, usedIn: press, userId: id, userLabel: label })
    .where(and(eq(actionLinks.hash, hash), or(free, eq(actionLinks.usedIn, press))))
    .returning({ hash: actionLinks.hash });
  if (taken.length === 0) throw new DomainError("stale", "somebody else has used this link, or it has ended; open the alert");
}

/** By the very verbs that the console's own buttons call. */
async function act(ctx: Ctx, { action, target, alert, maker, projectId }: LinkRow, { seq }: FoundFacts, now: Date): Promise<void> {
  const reason = `by the button of alert #${alert.no}${maker.kind === "channel" ? `, told by ${maker.label}` : ""}`;
  const { runId, nodeKey: key, pipelineId, workerId } = target;
  const gone = () => new DomainError("stale", "what this link acts on is gone; open the alert");
  const expected = seq === null ? {} : { expectedSeq: seq };
  switch (action) {
    case "retry_node":
    case "skip_node": {
      if (runId === null || key === null) throw gone();
      await (action === "retry_node" ? retryNode : skipNode)(ctx, { runId, key, reason, ...expected });
      return;
    }
    case "cancel_run":
      if (runId === null) throw gone();
      await cancelRun(ctx, { runId, reason, ...expected });
      return;
    case "pause_pipeline":
      if (pipelineId === null) throw gone();
      await setPipelineEnabled(ctx, { projectId, pipelineId, enabled: false, reason });
      return;
    case "drain_worker":
    case "hold_worker":
      if (workerId === null) throw gone();
      if (action === "drain_worker") await drainWorker(ctx, { workerId, draining: true, reason });
      else await holdWorker(ctx, { workerId, reason });
      return;
    case "mute":
      await createSilence(ctx, { projectId, pattern: alert.code, pipelineId, reason, endsAt: new Date(now.getTime() + MUTE_MS) });
      return;
    case "acknowledge":
      await acknowledgeAlert(ctx, { id: alert.id });
  }
}
