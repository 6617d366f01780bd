import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { platformEvents } from "@/db/schema/platform";
import type { Found } from "@/db/statements/state/recover";
import { type Ctx, inTransaction } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { requireTerm } from "@/server/engine/leadership/require-term";
import { rootMessage } from "@/server/engine/root-cause";

const CODE = "APOLLO_NODE_UNDECIDABLE_500";

/** Tells once of a node that no sweep can decide on, and keeps a dead letter; it is tried again by each, for it may be put right. */
export async function tellUndecidable(ctx: Ctx, fence: Fence, { runId, key, token }: Found, error: unknown): Promise<void> {
  ctx.log.warn({ runId, key, err: error }, "a node cannot be decided on; the others of its sweep went on");
  const data = { runId, key, token };
  await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    await keepLetter(tx, { runId, key, token }, rootMessage(error));
    const told = await tx
      .select({ id: platformEvents.id })
      .from(platformEvents)
      .where(and(eq(platformEvents.code, CODE), sql`${platformEvents.data} @> ${JSON.stringify(data)}::jsonb`))
      .limit(1);
    if (told.length > 0) return;
    const at = ctx.clock.now();
    await tx.insert(platformEvents).values({
      id: ctx.ids.uuid(at),
      code: CODE,
      message: `node "${key}" of run ${runId} is due, and the engine cannot go on with it: ${rootMessage(error)}. Cancel the run, or put right what the message names; the engine tries again each second.`,
      data,
      at,
    });
  });
}

/** One for each attempt that is stuck; one that was released and is stuck again is opened anew. */
async function keepLetter(tx: Tx, { runId, key, token }: Found, message: string): Promise<void> {
  await tx.execute(sql`
    insert into dead_letters (id, project_id, pipeline_id, run_id, node_key, generation, attempt_no, cause, why, node_state, code, message)
    select dead_letter_id(n.run_id, n.key, n.generation, 'undecidable', n.attempt_no), r.project_id, r.pipeline_id, n.run_id, n.key, n.generation, n.attempt_no, 'undecidable',
      'it is due, and the engine cannot go on with it', n.state, ${CODE}, ${message}
    from node_runs n join runs r on r.id = n.run_id
    where n.run_id = ${runId}::uuid and n.key = ${key} and n.token = ${token}::integer
    on conflict (id) do update set
      closed_at = null, closed_as = null, closed_by = null, closed_reason = null, node_state = excluded.node_state,
      message = excluded.message, at = excluded.at
    where dead_letters.closed_at is not null
  `);
}
