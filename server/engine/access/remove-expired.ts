import { sql } from "drizzle-orm";
import { deleteBatch } from "@/db/statements/delete-batch";
import { IDEMPOTENCY_DAYS } from "@/server/domain/retention/rule";
import { inTransaction } from "@/server/engine/context";
import { requireTerm } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNowSql } from "@/server/engine/stored-clock";
import { ABSOLUTE_MS, IDLE_MS } from "./sign-in";

const BATCH = 1_000;
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
      await deleteBatch(
        tx,
        "sessions",
        sql`expires_at <= ${now} or updated_at < ${before(IDLE_MS)} or created_at < ${before(ABSOLUTE_MS)}`,
        limit,
      ),
      await deleteBatch(tx, "verifications", sql`expires_at <= ${now}`, limit),
      await deleteBatch(tx, "one_time_links", sql`least(used_at, expires_at) < ${before(LINK_KEPT_MS)}`, limit),
      await deleteBatch(tx, "action_links", sql`expires_at < ${before(LINK_KEPT_MS)}`, limit),
      await deleteBatch(tx, "run_requests", sql`created_at < ${before(IDEMPOTENCY_DAYS * 86_400_000)}`, limit),
    ];
  });
  return { count: removed.reduce((total, each) => total + each, 0), more: removed.some((each) => each === limit) };
};
