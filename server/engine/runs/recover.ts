import type { Tx } from "@/db/client";
import type { Found } from "@/db/statements/state/recover";
import type { RunEvent } from "@/server/domain/run/model";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { requireTerm } from "@/server/engine/leadership/require-term";
import { announce, writeRuns } from "./commit-runs";
import { activateNext } from "./give-turns";
import { feed, openRuns } from "./open-run";
import { ENGINE } from "./resolve-waits";

/** The leader's term; the database refuses what a past leader writes. */
export interface Fence {
  readonly name: string;
  readonly epoch: number;
}

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
 * Feeds one event into the decision of every node that a sweeper found, in one fenced transaction. A run that somebody else
 * is deciding on is left for the next sweep; a node that has moved on since is superseded, as any late report.
 */
export async function sweep<T extends Found>(
  ctx: Ctx,
  fence: Fence,
  options: RecoverOptions,
  find: (tx: Tx, limit: number) => Promise<T[]>,
  eventOf: (found: T) => RunEvent,
): Promise<Recovered> {
  const limit = options.limit ?? BATCH;
  const { committed, count, more } = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const found = await find(tx, limit);
    const { runs, now } = await openRuns(
      tx,
      found.map((each) => each.runId),
      { skipLocked: true },
    );
    const applied = found.filter((each) => {
      const open = runs.get(each.runId);
      return open !== undefined && feed(open, eventOf(each), now, { actor: ENGINE }).kind === "applied";
    });
    return { committed: await writeRuns(ctx, tx, [...runs.values()], now), count: applied.length, more: found.length === limit };
  });
  await announce(ctx, committed);
  await activateNext(ctx, committed.endedPipelineIds);
  return { count, more: more && count > 0 };
}
