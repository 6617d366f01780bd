import { sql } from "drizzle-orm";
import { inTransaction } from "@/server/engine/context";
import { requireTerm } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";

/** This month and as many ahead exist, so that no row ever finds its month missing. */
export const MONTHS_AHEAD = 3;

export const ensurePartitions: Recover = async (ctx, fence) => {
  const made = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const [row] = await tx.execute<{ made: number }>(sql`select ensure_partitions(clock_timestamp(), ${MONTHS_AHEAD}) as made`);
    return row?.made ?? 0;
  });
  if (made > 0) ctx.log.info({ made }, "partitions of coming months made");
  return { count: made, more: false };
};
