import type { Tx } from "@/db/client";
import { hasEarlierRun, holdStartable, lockTurns, waitingRuns } from "@/db/statements/state/turns";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { announce, type Committed, committedOf, writeRuns } from "./commit-runs";
import { feed, openRuns } from "./open-run";
import { ENGINE } from "./resolve-waits";
import { loadVersions, versionIn } from "./versions";

/** Waiting runs looked at in one transaction. */
const BATCH = 50;

/** Activates those waiting runs of a pipeline whose turn has come, the oldest first. */
export async function giveTurns(
  ctx: Pick<Ctx, "ids" | "log">,
  tx: Tx,
  pipelineId: string,
): Promise<Committed & { readonly count: number }> {
  // One that is disabled holds its runs; one that is gone has cancelled them (PIP-9, B76).
  if ((await holdStartable(tx, pipelineId)) !== "startable") return { ...committedOf([]), count: 0 };
  await lockTurns(tx, [pipelineId]);
  const { waiting, active } = await waitingRuns(tx, pipelineId, BATCH);
  const versions = await loadVersions(
    tx,
    waiting.map((run) => run.versionId),
  );
  const chosen: string[] = [];
  const begun = new Set<string>();
  for (const run of waiting) {
    const limit = versionIn(versions, run.versionId).definition.spec.concurrency ?? Number.POSITIVE_INFINITY;
    if (active + chosen.length >= limit) break;
    const { scheduleId } = run;
    const behind = run.afterEarlier && scheduleId !== null && (begun.has(scheduleId) || (await hasEarlierRun(tx, scheduleId, run.id)));
    if (behind) continue;
    if (scheduleId !== null) begun.add(scheduleId);
    chosen.push(run.id);
  }
  const { runs, now } = await openRuns(tx, chosen);
  const given = [...runs.values()].filter((open) => feed(open, { kind: "activated" }, now, { actor: ENGINE }).kind === "applied");
  return { ...(await writeRuns(ctx, tx, given, now)), count: given.length };
}

/** Gives the next turn right after a run of a pipeline has ended, in a transaction of its own. */
export async function activateNext(ctx: Ctx, pipelineIds: readonly string[]): Promise<void> {
  for (const pipelineId of pipelineIds) {
    try {
      await announce(ctx, await inTransaction(ctx, (tx) => giveTurns(ctx, tx, pipelineId)));
    } catch (error) {
      ctx.log.warn({ pipelineId, error: String(error) }, "the next turn is left to the scheduler");
    }
  }
}
