import type { Tx } from "@/db/client";
import { lockSlots } from "@/db/statements/pools/set-slots";
import { DomainError } from "@/server/domain/failure";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { announce } from "@/server/engine/runs/commit-runs";

/** Changes a limit while nothing starts or ends, which takes milliseconds; what it lets start now is rung for after the commit. */
export async function changeLimit<T>(ctx: Ctx, key: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const changed = await inTransaction(ctx, async (tx) => {
    if (!(await lockSlots(tx))) {
      throw new DomainError("unavailable", "attempts that start and end kept the limits busy for a second; nothing is changed, try again", {
        details: { key },
      });
    }
    return work(tx);
  });
  await announce(ctx, { groups: [], projectIds: [], freed: [key] });
  return changed;
}
