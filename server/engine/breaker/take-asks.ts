import { asc, inArray } from "drizzle-orm";
import { breakerAsks } from "@/db/schema/breakers";
import { closedBreaker, moveBreaker } from "@/server/domain/breaker/breaker";
import { type Ctx, inTransaction } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { requireTerm } from "@/server/engine/leadership/require-term";
import { breakerOf, findWorker, writeBreaker } from "./breaker-row";

const MOST = 200;

type Ask = typeof breakerAsks.$inferSelect;

/**
 * Opens the breakers that routing rules have asked for since the last look, one worker a commit (EXC-5). What ended before the
 * breaker was last closed asks for nothing any more, and a worker that is out is out already.
 */
export async function takeAsks(ctx: Ctx, fence: Fence, now: Date): Promise<number> {
  const asks = await ctx.db.select().from(breakerAsks).orderBy(asc(breakerAsks.id)).limit(MOST);
  let opened = 0;
  for (const workerId of new Set(asks.map((ask) => ask.workerId))) {
    const own = asks.filter((ask) => ask.workerId === workerId);
    if (await openFor(ctx, fence, workerId, own, now)) opened++;
  }
  return opened;
}

async function openFor(ctx: Ctx, fence: Fence, workerId: string, asks: readonly Ask[], now: Date): Promise<boolean> {
  const ids = asks.map(({ id }) => id);
  return inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const worker = await findWorker(tx, workerId);
    await tx.delete(breakerAsks).where(inArray(breakerAsks.id, ids));
    if (!worker) return false;
    const breaker = worker.row ? breakerOf(worker.row) : null;
    const news = asks.filter(({ at }) => breaker === null || at >= breaker.countFrom);
    const last = news.at(-1);
    if (!last) return false;
    const step = moveBreaker(breaker ?? closedBreaker(now), { kind: "tripped" }, now);
    if (step.changes.length === 0) return false;
    const ends = news.map(({ at, code, projectId, runId, nodeKey }) => ({ at: at.toISOString(), code, projectId, runId, nodeKey }));
    const why = { cause: "rule", ends, rule: { name: last.rule, version: last.version } } as const;
    await writeBreaker(tx, ctx, { workerId, before: worker.row, step, at: now, why });
    return true;
  });
}
