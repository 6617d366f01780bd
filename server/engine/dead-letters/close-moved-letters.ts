import { sql } from "drizzle-orm";
import { inTransaction } from "@/server/engine/context";
import { requireTerm } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";

const BATCH = 200;

/** Closes the letters of nodes that are no more, or that the engine could not decide on and that have moved on since. Index: dead_letters_open. */
export const closeMovedLetters: Recover = async (ctx, fence, options = {}) => {
  const limit = options.limit ?? BATCH;
  const closed = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    return tx.execute(sql`
      update dead_letters l set closed_at = clock_timestamp(), closed_as = 'moved'
      from (
        select o.id from dead_letters o left join node_runs n on n.run_id = o.run_id and n.key = o.node_key
        where o.closed_at is null and (n.run_id is null or (o.cause = 'undecidable'
          and (n.state <> o.node_state or n.generation <> o.generation or n.attempt_no <> o.attempt_no)))
        limit ${limit}
      ) as moved
      where l.id = moved.id and l.closed_at is null
      returning l.id
    `);
  });
  return { count: closed.length, more: closed.length === limit };
};
