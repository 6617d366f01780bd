import { and, eq, sql } from "drizzle-orm";
import { platformEvents } from "@/db/schema/platform";
import type { Found } from "@/db/statements/state/recover";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { keepUndecided, UNDECIDABLE } from "@/server/engine/dead-letters/keep-undecided";
import type { Fence } from "@/server/engine/leadership/fence";
import { requireTerm } from "@/server/engine/leadership/require-term";
import { rootMessage } from "@/server/engine/root-cause";

/** Tells once of a node that no sweep can decide on, and keeps a dead letter; it is tried again by each, for it may be put right. */
export async function tellUndecidable(ctx: Ctx, fence: Fence, { runId, key, token }: Found, error: unknown): Promise<void> {
  ctx.log.warn({ runId, key, err: error }, "a node cannot be decided on; the others of its sweep went on");
  const data = { runId, key, token };
  await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    await keepUndecided(tx, { runId, key, token }, "it is due, and the engine cannot go on with it", rootMessage(error));
    const told = await tx
      .select({ id: platformEvents.id })
      .from(platformEvents)
      .where(and(eq(platformEvents.code, UNDECIDABLE), sql`${platformEvents.data} @> ${JSON.stringify(data)}::jsonb`))
      .limit(1);
    if (told.length > 0) return;
    const at = ctx.clock.now();
    await tx.insert(platformEvents).values({
      id: ctx.ids.uuid(at),
      code: UNDECIDABLE,
      message: `node "${key}" of run ${runId} is due, and the engine cannot go on with it: ${rootMessage(error)}. Cancel the run, or put right what the message names; the engine tries again each second.`,
      data,
      at,
    });
  });
}
