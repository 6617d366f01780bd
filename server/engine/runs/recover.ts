import type { Executor } from "@/db/client";
import type { Found } from "@/db/statements/state/recover";
import type { RunEvent } from "@/server/domain/run/model";
import { type Ctx, inTransaction } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { Fenced, requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import { isOutage, isTooSlow, isTransient } from "@/server/engine/transient";
import { announce, type Committed, writeRuns } from "./commit-runs";
import { activateNext } from "./give-turns";
import { feed, openRuns } from "./open-run";
import { ENGINE } from "./resolve-waits";
import { tellUndecidable } from "./undecidable";

export interface RecoverOptions {
  /** Rows of one call; a full batch says that there is more. */
  readonly limit?: number;
}

export interface Recovered {
  readonly count: number;
  /** The batch was full: call again. */
  readonly more: boolean;
}

export type Recover = (ctx: Ctx, fence: Fence, options?: RecoverOptions) => Promise<Recovered>;

const BATCH = 200;

/** How long a worker has to end an attempt that ran out of time before the engine ends it. */
export const END_GRACE_MS = 5_000;

/**
 * Feeds one event into the decision of every node that a sweeper found, in fenced transactions: one, where nothing goes
 * wrong. A run that somebody else is deciding on is left for the next sweep; a node that has moved on since is superseded,
 * as any late report. What fails is halved until the node is found that cannot be decided, so that the others go on; a line
 * to the database that is lost is the fault of none of them, and the next sweep looks again.
 */
export async function sweep<T extends Found>(
  ctx: Ctx,
  fence: Fence,
  options: RecoverOptions,
  find: (db: Executor, limit: number) => Promise<T[]>,
  eventOf: (found: T) => RunEvent,
): Promise<Recovered> {
  const limit = options.limit ?? BATCH;
  // A look writes nothing: a fence would lock the lease's row, and make each of them a commit that waits for the disk.
  const found = await find(ctx.db, limit);
  if (found.length === 0) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const stuck: Stuck<T>[] = [];
  const count = await decideHalving(ctx, fence, found, eventOf, stuck);
  const [first] = stuck;
  // Where not one could be decided, it is the database or the engine that is ill, and no single run.
  if (first && stuck.length === found.length && found.length > 1) throw first.error;
  for (const { each, error } of stuck) {
    // A statement that took too long once is a slow disk; the health screen shows what stays past its deadline.
    if (!isTransient(error) && !isTooSlow(error)) await tellUndecidable(ctx, fence, each, error);
  }
  return { count, more: found.length === limit && count > 0 };
}

interface Stuck<T> {
  readonly each: T;
  readonly error: unknown;
}

/** Answers with how many were applied; those that fail by themselves go to `stuck`. */
async function decideHalving<T extends Found>(
  ctx: Ctx,
  fence: Fence,
  found: readonly T[],
  eventOf: (found: T) => RunEvent,
  stuck: Stuck<T>[],
): Promise<number> {
  try {
    return await decideAll(ctx, fence, found, eventOf);
  } catch (error) {
    if (error instanceof Fenced || isOutage(error)) throw error;
    const [first] = found;
    if (first && found.length === 1) {
      stuck.push({ each: first, error });
      return 0;
    }
    const half = Math.ceil(found.length / 2);
    const left = await decideHalving(ctx, fence, found.slice(0, half), eventOf, stuck);
    return left + (await decideHalving(ctx, fence, found.slice(half), eventOf, stuck));
  }
}

async function decideAll<T extends Found>(ctx: Ctx, fence: Fence, found: readonly T[], eventOf: (found: T) => RunEvent): Promise<number> {
  const { committed, count } = await inTransaction(ctx, async (tx): Promise<{ committed: Committed; count: number }> => {
    await requireTerm(tx, fence);
    const { runs, now } = await openRuns(
      tx,
      found.map((each) => each.runId),
      { skipLocked: true },
    );
    const applied = found.filter((each) => {
      const open = runs.get(each.runId);
      return open !== undefined && feed(open, eventOf(each), now, { actor: ENGINE }).kind === "applied";
    });
    return { committed: await writeRuns(ctx, tx, [...runs.values()], now), count: applied.length };
  });
  await announce(ctx, committed);
  await activateNext(ctx, committed.endedPipelineIds);
  return count;
}
