import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { DomainError } from "@/server/domain/failure";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "./fence";
import { SCHEDULER_LEASE } from "./lease-timing";
import { requireTerm, requireTermToLook } from "./require-term";

/** Who may do a duty now: a leader within its term, or anybody while there is none. */
export interface Guard {
  /** The first statement of everything that is committed. */
  require(tx: Tx): Promise<void>;
  /** After a look that found nothing to write. */
  look(): Promise<void>;
}

export const leading = (ctx: Pick<Ctx, "db">, fence: Fence): Guard => ({
  require: (tx) => requireTerm(tx, fence),
  look: () => requireTermToLook(ctx.db, fence),
});

/** Holds the lease's row, so that nobody becomes leader before what is written here is committed. */
export const leaderless: Guard = {
  require: async (tx) => {
    const led = await tx.execute(sql`select 1 from leases where name = ${SCHEDULER_LEASE} and expires_at > clock_timestamp() for share`);
    if (led.length > 0) throw new DomainError("stale", "a scheduler leads again, and does this by itself");
  },
  look: () => Promise.resolve(),
};
