import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { inTransaction } from "@/server/engine/context";
import { requireTerm } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNowSql } from "@/server/engine/stored-clock";
import { ABSOLUTE_MS, IDLE_MS } from "./sign-in";

const BATCH = 1_000;
/** A request that is repeated later than this is a new one. */
export const IDEMPOTENCY_DAYS = 30;
/** A used link still says for a while that it was used, and by that that it was no stranger's. */
const LINK_KEPT_MS = 86_400_000;

/** Removes what lets nobody in any more and answers nothing: sessions, one-time links, idempotency keys. Some at a time. */
export const removeExpired: Recover = async (ctx, fence, options = {}) => {
  const limit = options.limit ?? BATCH;
  const now = storedNowSql(ctx);
  const before = (ms: number) => sql`${now} - ${ms}::float8 * interval '1 millisecond'`;
  const removed = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    return [
      await remove(
        tx,
        "sessions",
        sql`expires_at <= ${now} or updated_at < ${before(IDLE_MS)} or created_at < ${before(ABSOLUTE_MS)}`,
        limit,
      ),
      await remove(tx, "verifications", sql`expires_at <= ${now}`, limit),
      await remove(tx, "one_time_links", sql`least(used_at, expires_at) < ${before(LINK_KEPT_MS)}`, limit),
      await remove(tx, "action_links", sql`expires_at < ${before(LINK_KEPT_MS)}`, limit),
      await remove(tx, "run_requests", sql`created_at < ${before(IDEMPOTENCY_DAYS * 86_400_000)}`, limit),
    ];
  });
  return { count: removed.reduce((total, each) => total + each, 0), more: removed.some((each) => each === limit) };
};

async function remove(tx: Tx, table: string, expired: SQL, limit: number): Promise<number> {
  const name = sql.identifier(table);
  const rows = await tx.execute(sql`
    delete from ${name} where ctid = any(array(select ctid from ${name} where ${expired} limit ${limit} for update skip locked)) returning 1
  `);
  return rows.length;
}
