import { asc, eq, sql } from "drizzle-orm";
import { valves } from "@/db/schema/valves";
import { type HeldTarget, holdReady, lockValves } from "@/db/statements/valves/hold-ready";
import { moveValve } from "@/server/domain/valve/valve";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { lockValve, type ValveRow, valveOf } from "./valve-row";

/** Nodes held in one transaction. */
const STEP = 500;

/** Finishes what a process began and did not live to end: valves that are being closed (RUN-12). */
export const settleValves: Recover = async (ctx, fence) => {
  const closing = await ctx.db.select().from(valves).where(eq(valves.state, "closing")).orderBy(asc(valves.no));
  await requireTermToLook(ctx.db, fence);
  for (const row of closing) await settleValve(ctx, row);
  return { count: closing.length, more: false };
};

/** Holds all that was ready when the valve was closed, step by step, and takes out the messages that waited for nothing else. */
export async function settleValve(ctx: Ctx, row: ValveRow): Promise<void> {
  const target = row as ValveRow & HeldTarget;
  const groups = new Set<string>(row.kind === "group" ? [row.target] : []);
  // Whoever looked before the valve was there has committed then, and what they made ready is found.
  await inTransaction(ctx, lockValves);
  for (;;) {
    const held = await inTransaction(ctx, (tx) => holdReady(tx, target, STEP));
    for (const group of held) groups.add(group);
    if (held.length === 0) break;
  }
  const purged = await purge(ctx, [...groups]);
  await inTransaction(ctx, async (tx) => {
    const now = await lockValve(tx, row.no);
    if (!now) return;
    const { state } = moveValve(valveOf(now), { kind: "settled" }, await storedNow(ctx, tx));
    await tx
      .update(valves)
      .set({ state, purged: now.purged + purged })
      .where(eq(valves.no, row.no));
  });
}

/** Only of groups in which nothing else is ready: a message names the group alone. Index: node_runs_ready. */
async function purge(ctx: Ctx, groups: readonly string[]): Promise<number> {
  let purged = 0;
  for (const group of groups) {
    const [ready] = await ctx.db.execute(sql`
      select 1 from node_runs n where n.state = 'QUEUED' and not n.held and n.worker_group = ${group} and n.pool_key < 'valve:' limit 1`);
    if (!ready) purged += await ctx.ports.doorbell.purge(group);
  }
  return purged;
}
