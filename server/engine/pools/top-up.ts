import { drainedLimits } from "@/db/statements/pools/drained-limits";
import { lockSlots, setSlots } from "@/db/statements/pools/set-slots";
import { type Ctx, inTransaction } from "@/server/engine/context";

/**
 * Gives the free slots back to limits that were lowered below what ran, once less runs than they allow. Called after each
 * commit that frees a slot, and by the leader for what a dead process left; answers with their keys.
 */
export async function topUp(ctx: Pick<Ctx, "db" | "log">): Promise<readonly string[]> {
  if ((await drainedLimits(ctx.db)).length === 0) return [];
  return inTransaction(ctx, async (tx) => {
    if (!(await lockSlots(tx))) return [];
    const drained = await drainedLimits(tx);
    for (const { key, slots } of drained) await setSlots(tx, key, slots);
    return drained.map(({ key }) => key);
  });
}
