import { eq, gt, sql } from "drizzle-orm";
import type { BreakerWhy } from "@/db/schema/breakers";
import { workerBreakers } from "@/db/schema/breakers";
import { workers } from "@/db/schema/platform";
import { type FailureRow, failuresOfWorkers, lastSuccesses } from "@/db/statements/breakers/worker-ends";
import { type BreakerStep, closedBreaker, moveBreaker } from "@/server/domain/breaker/breaker";
import { findTrip, OOM_WINDOW_MS } from "@/server/domain/breaker/trip";
import { type Ctx, inTransaction } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recovered } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { type BreakerRow, breakerOf, lockBreaker, writeBreaker } from "./breaker-row";

/** How much of what ended one look reads; after an outage the next looks follow at once. */
const SLICE_MS = 60_000;
/** A commit may be seen this much later than the instant that it bears. */
const OVERLAP_MS = 5_000;
/** How far it has read is kept this often; until then a little is read again. */
const KEEP_EVERY_MS = 20_000;

/** More than make a row, since those that one death has lost count as one. */
const ROW_READ = 200;

interface Watched {
  readonly workerId: string;
  readonly isLive: boolean;
  readonly row: BreakerRow | null;
}

interface Planned {
  readonly watched: Watched;
  readonly step: BreakerStep;
  readonly why?: BreakerWhy;
  readonly known?: { readonly lastSuccessAt: Date | null; readonly checkedUntil: Date };
}

/**
 * The leader's look at every worker's breaker (EXC-6): what failed since the last one may open it, time passes for those
 * that are open, and a probe is asked for where one is due. It looks without a lock, and writes in one fenced commit what is
 * still as it saw it.
 */
export async function watchBreakers(ctx: Ctx, fence: Fence): Promise<Recovered> {
  const now = await storedNow(ctx, ctx.db);
  const all = await watchedWorkers(ctx, now);
  const passing = all.flatMap((watched): Planned[] => {
    if (watched.row === null || watched.row.state === "closed") return [];
    const step = moveBreaker(breakerOf(watched.row), { kind: "timePassed", probeId: watched.isLive ? ctx.ids.uuid(now) : null }, now);
    return step.changes.length > 0 ? [{ watched, step }] : [];
  });
  const { planned, behind } = await judgeClosed(
    ctx,
    all.filter(({ row }) => row === null || row.state === "closed"),
    now,
  );
  const plans = [...passing, ...planned];
  if (plans.length === 0) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const count = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    let written = 0;
    // In one order, so that no two who lock several workers wait for each other.
    for (const { watched, step, why, known } of plans.toSorted((a, b) => (a.watched.workerId < b.watched.workerId ? -1 : 1))) {
      const { workerId, row } = watched;
      const before = await lockBreaker(tx, workerId);
      if ((before?.revision ?? 0) !== (row?.revision ?? 0)) continue;
      await writeBreaker(tx, ctx, { workerId, before, step, at: now, ...(why ? { why } : {}), ...(known ? { known } : {}) });
      written++;
    }
    return written;
  });
  return { count, more: behind && count > 0 };
}

/** Workers that are there, or were lately, with their breakers. */
async function watchedWorkers(ctx: Ctx, now: Date): Promise<readonly Watched[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  return ctx.db
    .select({ workerId: workers.id, isLive: sql<boolean>`${workers.expiresAt} > ${at}`, row: workerBreakers })
    .from(workers)
    .leftJoin(workerBreakers, eq(workerBreakers.workerId, workers.id))
    .where(gt(workers.seenAt, sql`${at} - interval '1 hour'`));
}

interface Judged {
  readonly planned: readonly Planned[];
  /** There is more to read before anything of it is judged. */
  readonly behind: boolean;
}

/** Which closed breakers open. A worker without failures costs nothing more than the look that says so. */
async function judgeClosed(ctx: Ctx, closed: readonly Watched[], now: Date): Promise<Judged> {
  const before = new Date(now.getTime() - OOM_WINDOW_MS);
  const known = closed.map((watched) => {
    const countFrom = watched.row?.countFrom ?? before;
    const lastSuccessAt = watched.row?.lastSuccessAt ?? null;
    return { watched, countFrom, lastSuccessAt, rowSince: latest(countFrom, lastSuccessAt), killsSince: latest(countFrom, before) };
  });
  const found = await failuresOfWorkers(
    ctx.db,
    known.map(({ watched, rowSince, killsSince }) => ({ workerId: watched.workerId, rowSince, killsSince })),
    { until: now, newest: ROW_READ },
  );
  const failing = known.flatMap((each) => {
    const failures = found.filter((row) => row.worker_id === each.watched.workerId);
    const [first] = failures.filter(({ at }) => at > each.rowSince);
    // A success before the oldest of them ends no row; what was read before is not read again.
    return first
      ? [{ ...each, failures, readFrom: latest(first.at, back(each.watched.row?.checkedUntil ?? first.at)) }]
      : onlyKills(each, failures, now);
  });
  if (failing.length === 0) return { planned: [], behind: false };
  const from = new Date(Math.min(...failing.map(({ readFrom }) => readFrom.getTime())) - 1);
  const to = new Date(Math.min(now.getTime(), from.getTime() + SLICE_MS));
  const successes = await lastSuccesses(
    ctx.db,
    failing.map(({ watched }) => watched.workerId),
    { from, to },
  );
  const behind = to < now;
  const planned = failing.flatMap((each): Planned[] => {
    const lastSuccessAt = latestOf(each.lastSuccessAt, successes.get(each.watched.workerId) ?? null);
    const read = { lastSuccessAt, checkedUntil: latest(to, each.watched.row?.checkedUntil ?? null) };
    return planOf(each, read, behind, now);
  });
  return { planned, behind };
}

const latest = (a: Date, b: Date | null): Date => (b !== null && b > a ? b : a);
const latestOf = (a: Date | null, b: Date | null): Date | null => (a === null ? b : latest(a, b));
const back = (at: Date): Date => new Date(at.getTime() - OVERLAP_MS);

interface Failing {
  readonly watched: Watched;
  readonly countFrom: Date;
  readonly lastSuccessAt: Date | null;
  readonly failures: readonly FailureRow[];
  readonly readFrom: Date;
}

/** Kills that have a success behind them count still, and no success has to be looked for. */
const onlyKills = <Each>(each: Each, failures: readonly FailureRow[], now: Date) =>
  failures.length > 0 ? [{ ...each, failures, readFrom: now }] : [];

function planOf(
  { watched, countFrom, failures, lastSuccessAt: knownBefore }: Failing,
  known: NonNullable<Planned["known"]>,
  behind: boolean,
  now: Date,
): Planned[] {
  const { row } = watched;
  const breaker = row ? breakerOf(row) : closedBreaker(now, countFrom);
  if (!behind) {
    const success = known.lastSuccessAt ? [{ at: known.lastSuccessAt, code: null }] : [];
    // At one instant, the success is taken as the later one: it keeps a worker at work.
    const ends = [...failures, ...success].sort(
      (a, b) => a.at.getTime() - b.at.getTime() || Number(a.code === null) - Number(b.code === null),
    );
    const trip = findTrip(ends);
    const step = trip ? moveBreaker(breaker, { kind: "tripped" }, now) : null;
    if (trip && step) return [{ watched, step, why: { cause: trip.cause, ends: trip.ends.flatMap(toldOf) }, known }];
  }
  const isNews = row === null || known.lastSuccessAt?.getTime() !== knownBefore?.getTime();
  const isDue = known.checkedUntil.getTime() - (row?.checkedUntil.getTime() ?? 0) >= (behind ? 1 : KEEP_EVERY_MS);
  return isNews || isDue ? [{ watched, step: { next: breaker, changes: [] }, known }] : [];
}

const toldOf = (end: FailureRow | { readonly at: Date; readonly code: null }): NonNullable<BreakerWhy["ends"]> =>
  end.code === null
    ? []
    : [{ at: end.at.toISOString(), code: end.code, projectId: end.project_id, runId: end.run_id, nodeKey: end.node_key }];
