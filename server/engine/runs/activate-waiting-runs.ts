import { pipelinesWithWaitingRuns } from "@/db/statements/state/turns";
import { inTransaction } from "@/server/engine/context";
import { requireTerm } from "@/server/engine/leadership/require-term";
import { announce } from "./commit-runs";
import { giveTurns } from "./give-turns";
import type { Recover } from "./recover";

/** The net under `activateNext`: a turn that nobody gave, as when a process died between two commits. */
export const activateWaitingRuns: Recover = async (ctx, fence, { limit = 100 } = {}) => {
  const pipelineIds = await pipelinesWithWaitingRuns(ctx.db, limit);
  let count = 0;
  for (const pipelineId of pipelineIds) {
    const given = await inTransaction(ctx, async (tx) => {
      await requireTerm(tx, fence);
      return giveTurns(ctx, tx, pipelineId);
    });
    await announce(ctx, given);
    count += given.count;
  }
  return { count, more: pipelineIds.length === limit };
};
