import { eq, gt, sql } from "drizzle-orm";
import type { BreakerWhy } from "@/db/schema/breakers";
import { workerBreakers } from "@/db/schema/breakers";
import { workers } from "@/db/schema/platform";
import { type FailureRow, failuresOfWorkers, lastSuccesses, newestCodes } from "@/db/statements/breakers/worker-ends";
import { judgeBoard, MANY_WORKERS } from "@/server/domain/breaker/blame";
import { type BreakerStep, closedBreaker, moveBreaker } from "@/server/domain/breaker/breaker";
import { findTrip, isOutOfMemory, OOM_WINDOW_MS } from "@/server/domain/breaker/trip";
import { type Ctx, inTransaction } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recovered } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { type BreakerRow, breakerOf, lockBreaker, writeBreaker } from "./breaker-row";
import { takeAsks } from "./take-asks";

/** How much of what ended one look reads; after an outage the next looks follow at once. */
const SLICE_MS = 60_000;
/** A commit may be seen this much later than the instant that it bears. */
const OVERLAP_MS = 5_000;
/** How far it has read is kept this often; until then a little is read again. */
const KEEP_EVERY_MS = 20_000;

/** A job that fails everywhere has done so within this. */
const BLAME_WINDOW_MS = 5 * 60_000;

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
 * that are open, and a probe is asked for where one is due. It looks without a lock, and writes in fenced commits what is
 * still as it saw it.
 */
export async function watchBreakers(ctx: Ctx, fence: Fence): Promise<Recovered> {
  const now = await storedNow(ctx, ctx.db);
  const asked = await takeAsks(ctx, fence, now);
  const all = await watchedWorkers(ctx, now);
  const passing = all.flatMap((watched): Planned[] => {
    if (watched.row === null || watched.row.state === "closed") return [];
    const step = moveBreaker(breakerOf(watched.row), { kind: "timePassed", probeId: watched.isLive ? ctx.ids.uuid(now) : null }, now);
    return step.changes.length > 0 ? [{ watched, step }] : [];
  });
  const closed = all.filter(({ row }) => row === null || row.state === "closed");
  const { planned, behind } = await judgeClosed(ctx, closed, all, now);
  const plans = [...passing, ...planned];
  if (plans.length === 0) {
    await requireTermToLook(ctx.db, fence);
    return { count: asked, more: false };
  }
  const count = await noteReadings(
    ctx,
    fence,
    plans.filter(({ step }) => step.changes.length === 0),
  );
  let moved = 0;
  for (const plan of plans) if (plan.step.changes.length > 0 && (await moveOne(ctx, fence, plan, now))) moved++;
  return { count: asked + count + moved, more: behind && count + moved > 0 };
}

/** One worker each: its lease row is locked, which its renewals wait for, and nobody else's meanwhile. */
async function moveOne(ctx: Ctx, fence: Fence, { watched: { workerId, row }, step, why, known }: Planned, now: Date): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const before = await lockBreaker(tx, workerId);
    if ((before?.revision ?? 0) !== (row?.revision ?? 0)) return false;
    await writeBreaker(tx, ctx, { workerId, before, step, at: now, ...(why ? { why } : {}), ...(known ? { known } : {}) });
    return true;
  });
}

/** How far the looks have come, of all workers at once: no lease row is locked for it, and no state is written. */
async function noteReadings(ctx: Ctx, fence: Fence, plans: readonly Planned[]): Promise<number> {
  const rows = plans.flatMap(({ watched: { workerId, row }, step: { next }, known }) =>
    known ? [{ workerId, state: next.state, since: next.since, countFrom: next.countFrom, ...known, revision: row?.revision ?? 1 }] : [],
  );
  if (rows.length === 0) return 0;
  return inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const written = await tx
      .insert(workerBreakers)
      // In one order, so that no two who write several wait for each other.
      .values(rows.toSorted((a, b) => (a.workerId < b.workerId ? -1 : 1)))
      .onConflictDoUpdate({
        target: workerBreakers.workerId,
        set: { lastSuccessAt: sql`excluded.last_success_at`, checkedUntil: sql`excluded.checked_until` },
        setWhere: sql`${workerBreakers.revision} = excluded.revision and ${workerBreakers.state} = 'closed'`,
      })
      .returning({ workerId: workerBreakers.workerId });
    return written.length;
  });
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
async function judgeClosed(ctx: Ctx, closed: readonly Watched[], all: readonly Watched[], now: Date): Promise<Judged> {
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
  const plan = (jobs: ReadonlySet<string>) =>
    failing.flatMap((each): Planned[] => {
      const lastSuccessAt = latestOf(each.lastSuccessAt, successes.get(each.watched.workerId) ?? null);
      const read = { lastSuccessAt, checkedUntil: latest(to, each.watched.row?.checkedUntil ?? null) };
      const failures = each.failures.filter(({ code }) => !jobs.has(code));
      return planOf({ ...each, failures }, read, behind, now);
    });
  const planned = plan(new Set());
  // What fails wherever it runs is the job's: it takes out no worker, for it would take out all of them.
  const jobs = planned.some(({ why }) => why?.cause === "row") ? await jobCodes(ctx, all, now) : new Set<string>();
  return { planned: jobs.size > 0 ? plan(jobs) : planned, behind };
}

/** Codes that the board blames on a job; what takes a worker's memory is its own whoever asked for it. */
async function jobCodes(ctx: Ctx, all: readonly Watched[], now: Date): Promise<ReadonlySet<string>> {
  const ids = all.map(({ workerId }) => workerId);
  const cells = await newestCodes(ctx.db, ids, new Date(now.getTime() - BLAME_WINDOW_MS));
  const verdict = judgeBoard(cells, all.filter(({ isLive }) => isLive).length);
  if (verdict.kind !== "told") return new Set();
  // Where there are but two, both may be sick.
  const jobs = verdict.blames.flatMap((blame) => (blame.kind === "job" && blame.workers >= MANY_WORKERS ? [blame.code] : []));
  return new Set(jobs.filter((code) => !isOutOfMemory(code)));
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
