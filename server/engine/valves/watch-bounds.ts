import { and, eq, gt, isNull, or } from "drizzle-orm";
import { failureBounds } from "@/db/schema/routing";
import { type ValveBound, valves } from "@/db/schema/valves";
import { failuresOfTasks, MOST_FAILURES, successesOfTask, type TaskFailures } from "@/db/statements/valves/task-ends";
import { type Bound, leavesBound, RECOVERED_RATE, successesThatClear } from "@/server/domain/valve/bound";
import { moveValve, type ValveEvent } from "@/server/domain/valve/valve";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { boundOf, readBound } from "./failure-bound";
import { settleValve } from "./settle-valves";
import { lockValve, type ValveRow, valveOf } from "./valve-row";

/** Successes in a row are looked for within four times what the trickle takes for them: a look walks what all tasks ended with. */
const recoveryMs = ({ successes, rate }: Pick<ValveBound, "successes" | "rate">): number =>
  60_000 * Math.min(60, Math.max(5, Math.ceil((4 * successes) / rate)));

/** From when on the failures that were read are all there are: many of one task cut short what is known of the others. */
function seenFrom(failures: readonly TaskFailures[], begin: Date): Date {
  const all = failures.flatMap(({ at }) => at.map((each) => each.getTime()));
  return all.length < MOST_FAILURES ? begin : new Date(Math.min(...all) - 1);
}

interface Excess {
  readonly projectId: string;
  readonly task: string;
  /** The valve that lets go what had recovered, and has to hold it again. */
  readonly valve: ValveRow | null;
  readonly bound: ValveBound;
}

/**
 * The leader's look at what fails too often (EXC-10): new work of a task that has left its bound is held by a valve, a trickle
 * of it goes on, and so many successes in a row let the rest go. Projects whose bound is off cost nothing.
 */
export const watchBounds: Recover = async (ctx, fence) => {
  const now = await storedNow(ctx, ctx.db);
  const policies = await ctx.db.select().from(failureBounds);
  const open = await ctx.db
    .select()
    .from(valves)
    .where(and(eq(valves.deferring, true), isNull(valves.endedAt)));
  await requireTermToLook(ctx.db, fence);
  let count = 0;
  for (const { projectId, revision, ...row } of policies) {
    const bound = boundOf(row.bound);
    if (!bound.enabled) continue;
    for (const excess of await findExcess(ctx, projectId, bound, revision, now)) if (await defer(ctx, fence, excess, now)) count++;
  }
  for (const valve of open) if (await tend(ctx, fence, valve, now)) count++;
  return { count, more: false };
};

async function findExcess(ctx: Ctx, projectId: string, bound: Bound, policy: number, now: Date): Promise<readonly Excess[]> {
  const begin = new Date(now.getTime() - bound.windowMinutes * 60_000);
  const failures = await failuresOfTasks(ctx.db, projectId, { from: begin, to: now });
  if (successesThatClear(bound, failures.flatMap(({ at }) => at).length) === 0) return [];
  const from = seenFrom(failures, begin);
  const known = await ctx.db
    .select()
    .from(valves)
    .where(and(eq(valves.projectId, projectId), eq(valves.kind, "task"), or(isNull(valves.endedAt), gt(valves.endedAt, from))));
  const found: Excess[] = [];
  for (const { task, at } of failures) {
    const own = known.filter(({ target }) => target === task);
    const valve = own.find(({ endedAt }) => endedAt === null) ?? null;
    // What a person has stopped is theirs, and what is deferred is so already.
    if (valve && (valve.deferring || valve.bound === null || valve.state !== "releasing")) continue;
    const since = newest([from, valve?.releasingSince, ...own.map(({ endedAt }) => endedAt)]);
    const failed = at.filter((each) => each > since).length;
    const enough = successesThatClear(bound, failed);
    if (enough === 0) continue;
    const succeeded = await successesOfTask(ctx.db, { projectId, task, from: since, to: now, enough });
    if (!leavesBound(bound, { failed, succeeded })) continue;
    const { percent, windowMinutes, rate, successes } = bound;
    found.push({ projectId, task, valve, bound: { policy, percent, windowMinutes, rate, successes, failed, succeeded } });
  }
  return found;
}

const newest = (times: readonly (Date | null | undefined)[]): Date => new Date(Math.max(...times.map((at) => at?.getTime() ?? 0)));

const reasonOf = ({ failed, succeeded, percent, windowMinutes, successes }: ValveBound): string =>
  `${failed} of ${failed + succeeded} attempts failed within ${windowMinutes} min, more than ${percent} %: new work waits until ${successes} in a row succeed, or a person releases it`;

/** Of two who close one for the same task, the unique index lets one. */
async function defer(ctx: Ctx, fence: Fence, { projectId, task, valve, bound }: Excess, now: Date): Promise<boolean> {
  const reason = reasonOf(bound);
  const row = await inTransaction(ctx, async (tx): Promise<ValveRow | null> => {
    await requireTerm(tx, fence);
    const policy = await readBound(tx, projectId);
    if (policy.revision !== bound.policy) return null;
    const again = { reason, bound, closedBy: actorOf(ctx.principal), closedAt: now };
    let closed: ValveRow | undefined;
    if (valve) {
      const locked = await lockValve(tx, valve.no);
      if (!locked || locked.revision !== valve.revision || locked.state !== "releasing") return null;
      const next = moveValve(valveOf(locked), { kind: "relapsed", rate: bound.rate }, now);
      [closed] = await tx
        .update(valves)
        .set({ ...next, ...again, revision: locked.revision + 1 })
        .where(eq(valves.no, valve.no))
        .returning();
    } else {
      const place = { projectId, kind: "task", pipelineId: null, target: task, label: task };
      [closed] = await tx
        .insert(valves)
        .values({ ...place, ...again, state: "closing", deferring: true })
        .onConflictDoNothing()
        .returning();
    }
    if (!closed) return null;
    await writeAudit(tx, ctx, {
      projectId,
      verb: "valve.defer",
      object: { kind: "valve", id: String(closed.no), label: task },
      reason,
      after: { kind: "task", target: task, ...bound },
    });
    return closed;
  });
  if (!row) return false;
  if (row.state === "closing") await settleValve(ctx, row);
  ctx.ports.live.changed(projectId);
  return true;
}

/** Lets a trickle of what is deferred go, and the rest once it works again. */
async function tend(ctx: Ctx, fence: Fence, valve: ValveRow, now: Date): Promise<boolean> {
  const { bound, projectId, target } = valve;
  if (bound === null || projectId === null) return false;
  if (valve.state === "closed") return move(ctx, fence, valve, { kind: "trickleBegun", rate: bound.rate }, now);
  if (valve.state !== "releasing") return false;
  const begin = newest([valve.closedAt, new Date(now.getTime() - recoveryMs(bound))]);
  const failures = await failuresOfTasks(ctx.db, projectId, { from: begin, to: now });
  const from = newest([seenFrom(failures, begin), ...(failures.find(({ task }) => task === target)?.at ?? [])]);
  const enough = bound.successes;
  const inARow = await successesOfTask(ctx.db, { projectId, task: target, from, to: now, enough });
  return inARow >= enough && move(ctx, fence, valve, { kind: "recovered", rate: RECOVERED_RATE }, now);
}

async function move(ctx: Ctx, fence: Fence, { no, revision, projectId, bound }: ValveRow, event: ValveEvent, now: Date): Promise<boolean> {
  const moved = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const row = await lockValve(tx, no);
    // A person was faster.
    if (!row || row.revision !== revision) return false;
    const next = moveValve(valveOf(row), event, now);
    if (next.state === row.state && next.deferring === row.deferring) return false;
    await tx
      .update(valves)
      .set({ ...next, revision: row.revision + 1 })
      .where(eq(valves.no, no));
    if (event.kind === "recovered") {
      await writeAudit(tx, ctx, {
        projectId,
        verb: "valve.recover",
        object: { kind: "valve", id: String(no), label: row.label },
        reason: `${bound?.successes} attempts in a row succeeded`,
        before: { state: row.state, rate: row.rate },
        after: { state: next.state, rate: next.rate, policy: bound?.policy },
      });
    }
    return true;
  });
  if (moved && projectId) ctx.ports.live.changed(projectId);
  return moved;
}
