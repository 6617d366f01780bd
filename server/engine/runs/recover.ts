import type { Executor } from "@/db/client";
import { applyDecisions, type StateWrites } from "@/db/statements/state/apply-decisions";
import { holdNodes } from "@/db/statements/state/hold-nodes";
import type { Found } from "@/db/statements/state/recover";
import type { RunEvent } from "@/server/domain/run/model";
import { type Ctx, inTransaction, isLostRace } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { Fenced, requireTermToLook } from "@/server/engine/leadership/require-term";
import { isOutage, isTooSlow, isTransient } from "@/server/engine/transient";
import { announce, committedOf, LostRace } from "./commit-runs";
import { activateNext } from "./give-turns";
import { feed, readOpen } from "./open-run";
import { ENGINE, resolveWaits } from "./resolve-waits";
import { isFailure, routed, routingFor } from "./route-event";
import { tellUndecidable } from "./undecidable";
import { writesOf } from "./writes";

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
 * Feeds one event into the decision of every node that a sweeper found, in fenced commits: one, where nothing goes wrong. A
 * run that somebody else is deciding on is left for the next sweep; a node that has moved on since is superseded, as any late
 * report. What fails is halved until the node is found that cannot be decided, so that the others go on; a line
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

/** What moved while it was decided is read anew, so often at most; then it is left for the next sweep. */
const MAX_LOOKS = 3;

async function decideAll<T extends Found>(ctx: Ctx, fence: Fence, found: readonly T[], eventOf: (found: T) => RunEvent): Promise<number> {
  let left: readonly T[] = found;
  let count = 0;
  for (let looks = 0; left.length > 0 && looks < MAX_LOOKS; looks++) {
    const { refused, applied } = await decideOnce(ctx, fence, left, eventOf);
    count += applied;
    left = left.filter(({ runId }) => refused.has(runId));
  }
  return count;
}

interface DecidedOnce {
  /** Runs that have moved on meanwhile, or that somebody holds. */
  readonly refused: ReadonlySet<string>;
  readonly applied: number;
}

/** Decides on runs as they are read, without a lock, and writes them where they are still the same. */
async function decideOnce<T extends Found>(
  ctx: Ctx,
  fence: Fence,
  found: readonly T[],
  eventOf: (found: T) => RunEvent,
): Promise<DecidedOnce> {
  const ids = [...new Set(found.map(({ runId }) => runId))];
  const { runs, now } = await readOpen(ctx.db, ids);
  const events = found.map((each) => ({ each, event: eventOf(each), open: runs.get(each.runId) }));
  const routing = await routingFor(
    ctx,
    ctx.db,
    events.map(({ event, open }) => ({ hasFailed: isFailure(event), projectId: open?.row.projectId })),
  );
  const moving = events.filter(({ event, open }) => {
    return open !== undefined && feed(open, routed(event, open, routing), now, { actor: ENGINE }).kind === "applied";
  });
  const opens = [...runs.values()].filter((open) => open.moved);
  if (opens.length === 0) {
    await requireTermToLook(ctx.db, fence);
    return { refused: new Set(), applied: 0 };
  }
  for (const open of opens) await resolveWaits(ctx.db, open, now);
  // A rule may have paused a run.
  const paused = opens.filter(({ row, facts }) => facts.pausedByPerson && !row.pausedByPerson).map(({ row }) => row.id);
  const { refused, freed } = await writeLed(ctx, fence, writesOf(ctx, opens, now), { ids, paused });
  const committed = { ...committedOf(opens.filter(({ row }) => !refused.has(row.id))), freed };
  await announce(ctx, committed);
  await activateNext(ctx, committed.endedPipelineIds);
  return { refused, applied: moving.filter(({ each }) => !refused.has(each.runId)).length };
}

/** One call and so one commit, where it can be: nearly always. */
async function writeLed(
  ctx: Ctx,
  fence: Fence,
  passes: readonly StateWrites[],
  { ids, paused }: { readonly ids: readonly string[]; readonly paused: readonly string[] },
): Promise<{ readonly refused: ReadonlySet<string>; readonly freed: readonly string[] }> {
  const apply = async (db: Executor, pass: StateWrites) => {
    const applied = await applyDecisions(db, pass, { term: fence });
    if (applied.leased !== true) throw new Fenced(fence);
    return applied;
  };
  try {
    const [first, ...later] = passes;
    if (first && later.length === 0 && paused.length === 0) {
      const { refused, freed } = await apply(ctx.db, first);
      return { refused: new Set(refused), freed };
    }
    return await inTransaction(ctx, async (tx) => {
      const freed: string[] = [];
      for (const pass of passes) {
        const applied = await apply(tx, pass);
        // A second pass without its first would be half of a step.
        if (applied.refused.length > 0) throw new LostRace("a run had moved on between two passes");
        freed.push(...applied.freed);
      }
      for (const runId of paused) await holdNodes(tx, runId, true);
      return { refused: new Set<string>(), freed };
    });
  } catch (error) {
    // Of which run a node had moved is not told: all of them are read again.
    if (isLostRace(error)) return { refused: new Set(ids), freed: [] };
    throw error;
  }
}
