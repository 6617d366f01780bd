import type { Tx } from "@/db/client";
import { decideAlerts } from "@/server/domain/alert/decide";
import type { Occurrence } from "@/server/domain/alert/model";
import type { Check } from "@/server/domain/alert/silence-alarm";
import { DomainError } from "@/server/domain/failure";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { type Guard, leaderless, leading } from "@/server/engine/leadership/guard";
import { rootMessage } from "@/server/engine/root-cause";
import type { Recover, Recovered } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { isOutage, isTransient } from "@/server/engine/transient";
import { byProject } from "./by-project";
import { type InboxEntry, lookInbox, MOST_TRIES, putOff, takeInbox } from "./inbox";
import { loadMemory, policyOf } from "./load-memory";
import { loadFailures, withHealth } from "./load-occurrences";
import { lockAlerts } from "./lock-alerts";
import { writeDecision } from "./write-decision";

const BATCH = 2_000;
/** A project of which nothing can be decided on is not taken apart to the last entry each time. */
const MOST_HALVINGS = 40;

/**
 * Decides on all that failed since the last time, a project at a time, each in one fenced commit: what is taken out of the
 * inbox, the alerts, the receipts and the outbox are there together or not at all. What cannot be decided on is found by
 * halving, put off, and at last set aside; it holds up neither the rest of its project nor another one.
 */
export const decideNew: Recover = (ctx, fence, { limit = BATCH } = {}) => decideWhere(ctx, leading(ctx, fence), limit);

/** The same by a process that is no leader, while there is none. */
export const decideLeaderless = (ctx: Ctx): Promise<Recovered> => decideWhere(ctx, leaderless, BATCH);

async function decideWhere(ctx: Ctx, guard: Guard, limit: number): Promise<Recovered> {
  const waiting = await lookInbox(ctx.db, limit, await storedNow(ctx, ctx.db));
  if (waiting.length === 0) {
    await guard.look();
    return { count: 0, more: false };
  }
  const gone = waiting.filter(({ projectId }) => projectId === null);
  const own = waiting.flatMap(({ projectId, ...entry }) => (projectId === null ? [] : [{ ...entry, projectId }]));
  const forgotten = gone.length === 0 ? 0 : await forget(ctx, guard, gone);
  const decided = await byProject(ctx, own, (projectId, entries) =>
    decideHalving(ctx, { guard, projectId, halvings: { left: MOST_HALVINGS } }, entries),
  );
  const count = forgotten + decided;
  return { count, more: waiting.length === limit };
}

interface Deciding {
  readonly guard: Guard;
  readonly projectId: string;
  readonly halvings: { left: number };
}

async function decideHalving(ctx: Ctx, deciding: Deciding, entries: readonly InboxEntry[]): Promise<number> {
  try {
    return await decideOnce(ctx, deciding, entries);
  } catch (error) {
    if ((error instanceof DomainError && error.code === "stale") || isOutage(error) || isTransient(error)) throw error;
    if (entries.length === 1 || deciding.halvings.left <= 0) {
      await keepBack(ctx, deciding, entries, error);
      return 0;
    }
    deciding.halvings.left -= 1;
    const half = Math.ceil(entries.length / 2);
    const first = await decideHalving(ctx, deciding, entries.slice(0, half));
    return first + (await decideHalving(ctx, deciding, entries.slice(half)));
  }
}

async function decideOnce(ctx: Ctx, { guard, projectId }: Deciding, entries: readonly InboxEntry[]): Promise<number> {
  const count = await inTransaction(ctx, async (tx) => {
    await guard.require(tx);
    await lockAlerts(tx, projectId);
    const taken = await takeInbox(tx, entries);
    if (taken.length === 0) return 0;
    const { policy } = await policyOf(tx, projectId);
    await decideIn(ctx, tx, projectId, await withHealth(tx, await loadFailures(tx, taken), policy));
    return taken.length;
  });
  if (count > 0) ctx.ports.live.changed(projectId);
  return count;
}

/** Nothing is left of the run of which they speak. */
const forget = (ctx: Ctx, guard: Guard, entries: readonly InboxEntry[]): Promise<number> =>
  inTransaction(ctx, async (tx) => {
    await guard.require(tx);
    return (await takeInbox(tx, entries)).length;
  });

/** That something failed of which nobody will be told is told: as an alert that says which, and why. */
export const UNDECIDED_CODE = "APOLLO_ALERT_UNDECIDED_500";

async function keepBack(ctx: Ctx, { guard, projectId }: Deciding, entries: readonly InboxEntry[], error: unknown): Promise<void> {
  const why = rootMessage(error);
  ctx.log.warn({ err: error, projectId, entries: entries.length }, "failures cannot be decided on, and are put off");
  const aside = await inTransaction(ctx, async (tx) => {
    await guard.require(tx);
    return putOff(tx, entries, why, await storedNow(ctx, tx));
  });
  const [first] = aside;
  if (!first) return;
  await inTransaction(ctx, async (tx) => {
    await guard.require(tx);
    await lockAlerts(tx, projectId);
    const at = await storedNow(ctx, tx);
    const task = `inbox/${first.eventId}`;
    const message = `${aside.length === 1 ? "a failure" : `${aside.length} failures`} could not be decided on in ${MOST_TRIES} tries, and nobody was told of it; it is set aside`;
    await decideIn(ctx, tx, projectId, [
      {
        ...{ ref: `${task}/${at.getTime()}`, at, code: UNDECIDED_CODE, message, kind: "failure", suspended: false, taskClass: "basic" },
        object: { task, runId: null, nodeKey: null, pipelineId: null, label: "alerts", owner: null },
        codeGrade: null,
        health: { runs: 0, unhealthy: 0, inARow: 0 },
      },
    ]);
  }).catch((failed: unknown) => {
    if (failed instanceof DomainError && failed.code === "stale") throw failed;
    ctx.log.error({ err: failed, projectId }, "that failures were set aside could not be told");
  });
  ctx.ports.live.changed(projectId);
}

/** Decides on what occurred in a project, and writes it. The caller holds the lock of its alerts. */
export async function decideIn(
  ctx: Ctx,
  tx: Tx,
  projectId: string,
  occurrences: readonly Occurrence[],
  checks?: ReadonlyMap<string, readonly Check[]>,
): Promise<void> {
  const now = await storedNow(ctx, tx);
  const { policy } = await policyOf(tx, projectId);
  const memory = await loadMemory(ctx, tx, projectId, { now, policy, occurrences });
  const decision = decideAlerts(occurrences, memory);
  await writeDecision(ctx, tx, projectId, { decision, now, ...(checks ? { checks } : {}) });
}
