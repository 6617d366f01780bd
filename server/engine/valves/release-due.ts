import { asc, eq } from "drizzle-orm";
import { valveHolds, valves } from "@/db/schema/valves";
import { lockValves } from "@/db/statements/valves/hold-ready";
import { type Released, releaseHeld } from "@/db/statements/valves/release-held";
import { mayGo, moveValve } from "@/server/domain/valve/valve";
import { type Ctx, inTransaction } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import { announce } from "@/server/engine/runs/commit-runs";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { lockValve, valveOf } from "./valve-row";

/** Nodes let go in one transaction. */
const STEP = 500;

/** Lets go what the rates of valves that are being released have earned; a valve that holds nothing more has ended (RUN-12). */
export const releaseDue: Recover = async (ctx, fence) => {
  const releasing = await ctx.db.select({ no: valves.no }).from(valves).where(eq(valves.state, "releasing")).orderBy(asc(valves.no));
  await requireTermToLook(ctx.db, fence);
  let count = 0;
  let more = false;
  for (const { no } of releasing) {
    const released = await releaseOf(ctx, fence, no);
    count += released;
    more ||= released === STEP;
  }
  return { count, more };
};

async function releaseOf(ctx: Ctx, fence: Fence, no: number): Promise<number> {
  const released = await inTransaction(ctx, async (tx): Promise<Released | null> => {
    await requireTerm(tx, fence);
    const row = await lockValve(tx, no);
    if (!row) return null;
    const now = await storedNow(ctx, tx);
    const due = Math.min(STEP, mayGo(valveOf(row), now));
    const went = due > 0 ? await releaseHeld(tx, no, due) : { count: 0, groups: [], projectIds: [] };
    if (went.count > 0) {
      const counts = { releasedAtRate: row.releasedAtRate + went.count, released: row.released + went.count };
      await tx.update(valves).set(counts).where(eq(valves.no, no));
      return went;
    }
    if (due === 0 || row.state !== "releasing") return null;
    if (row.deferring) {
      if (due === 1) return null;
      await tx
        .update(valves)
        .set(moveValve(valveOf(row), { kind: "emptied" }, now))
        .where(eq(valves.no, no));
      return null;
    }
    // Nothing was there to go; under the lock nothing comes, so that none is left behind by the end.
    await lockValves(tx);
    if ((await tx.$count(valveHolds, eq(valveHolds.valveNo, no))) > 0) return null;
    const { state } = moveValve(valveOf(row), { kind: "emptied" }, now);
    await tx.update(valves).set({ state, endedAt: now, rate: null, releasingSince: null }).where(eq(valves.no, no));
    return { count: 0, groups: [], projectIds: row.projectId === null ? [] : [row.projectId] };
  });
  if (released) await announce(ctx, { groups: released.groups, projectIds: released.projectIds });
  return released?.count ?? 0;
}
