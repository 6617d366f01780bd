import type { Tx } from "@/db/client";
import { lockTurns, neverStarted } from "@/db/statements/state/turns";
import { actorOf, type Ctx } from "@/server/engine/context";
import { writeRuns } from "./commit-runs";
import { feed, openRuns } from "./open-run";

/** Runs cancelled by one statement. */
const BATCH = 100;

/**
 * Cancels every run of a pipeline that still waits for its turn, in the caller's transaction, which holds the pipeline's
 * row: what waits would otherwise wait for ever, or start after its pipeline is gone (B76). Answers with how many it were;
 * the caller's audit row tells of them.
 */
export async function cancelWaiting(
  ctx: Pick<Ctx, "ids" | "log" | "principal">,
  tx: Tx,
  pipelineId: string,
  reason: string,
): Promise<number> {
  await lockTurns(tx, [pipelineId]);
  const ids = await neverStarted(tx, pipelineId);
  let count = 0;
  for (let from = 0; from < ids.length; from += BATCH) {
    const { runs, now } = await openRuns(tx, ids.slice(from, from + BATCH));
    const told = { actor: actorOf(ctx.principal), reason };
    const canceled = [...runs.values()].filter((open) => feed(open, { kind: "cancelRun" }, now, told).kind === "applied");
    await writeRuns(ctx, tx, canceled, now);
    count += canceled.length;
  }
  return count;
}
