import { pipelinesWithWaitingRuns } from "@/db/statements/state/turns";
import { inTransaction } from "@/server/engine/context";
import { Fenced, requireTerm } from "@/server/engine/leadership/require-term";
import { announce } from "./commit-runs";
import { giveTurns } from "./give-turns";
import type { Recover } from "./recover";

/**
 * The net under `activateNext`: a turn that nobody gave, as when a process died between two commits. Each sweep goes on
 * behind the pipeline where the last one ended, so that however many are full, every other has its turn looked at.
 */
export function createTurnNet(): Recover {
  let after: string | null = null;
  return async (ctx, fence, { limit = 100 } = {}) => {
    const pipelineIds = await pipelinesWithWaitingRuns(ctx.db, { after, limit });
    const full = pipelineIds.length === limit;
    after = full ? (pipelineIds.at(-1) ?? null) : null;
    let count = 0;
    let more = full;
    for (const pipelineId of pipelineIds) {
      try {
        const given = await inTransaction(ctx, async (tx) => {
          await requireTerm(tx, fence);
          return giveTurns(ctx, tx, pipelineId);
        });
        await announce(ctx, given);
        count += given.count;
        more ||= given.more;
      } catch (error) {
        if (error instanceof Fenced || pipelineIds.length === 1) throw error;
        ctx.log.warn({ pipelineId, err: error }, "a pipeline's turn could not be given; the others went on");
      }
    }
    return { count, more };
  };
}
