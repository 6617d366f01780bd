import type { Tx } from "@/db/client";
import { hasEarlierRun, holdStartable, lockTurns, waitingRuns } from "@/db/statements/state/turns";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { announce, type Committed, committedOf, writeRuns } from "./commit-runs";
import { feed, openRuns } from "./open-run";
import { ENGINE } from "./resolve-waits";
import { loadVersions, versionIn } from "./versions";

/** Waiting runs looked at in one transaction. */
const BATCH = 50;

export interface TurnsGiven extends Committed {
  readonly count: number;
  /** As many as one transaction gives: there may be more. */
  readonly more: boolean;
}

/** Activates those waiting runs of a pipeline whose turn has come, the oldest first. */
export async function giveTurns(ctx: Pick<Ctx, "ids" | "log">, tx: Tx, pipelineId: string): Promise<TurnsGiven> {
  // One that is disabled holds its runs; one that is gone has cancelled them (PIP-9, B76).
  if ((await holdStartable(tx, pipelineId)) !== "startable") return { ...committedOf([]), count: 0, more: false };
  await lockTurns(tx, [pipelineId]);
  const chosen = await chooseRuns(tx, pipelineId);
  const { runs, now } = await openRuns(tx, chosen);
  const given = [...runs.values()].filter((open) => feed(open, { kind: "activated" }, now, { actor: ENGINE }).kind === "applied");
  return { ...(await writeRuns(ctx, tx, given, now)), count: given.length, more: chosen.length >= BATCH };
}

/** Page by page, so that what queues behind one schedule, however much it is, does not hide the runs of another. */
async function chooseRuns(tx: Tx, pipelineId: string): Promise<readonly string[]> {
  const chosen: string[] = [];
  const behind = new Set<string>();
  for (let after: string | null = null; ; ) {
    const { waiting, active }: Awaited<ReturnType<typeof waitingRuns>> = await waitingRuns(tx, pipelineId, {
      after,
      behind: [...behind],
      limit: BATCH,
    });
    const versions = await loadVersions(
      tx,
      waiting.map((run) => run.versionId),
    );
    for (const run of waiting) {
      const limit = versionIn(versions, run.versionId).definition.spec.concurrency ?? Number.POSITIVE_INFINITY;
      if (chosen.length >= BATCH || active + chosen.length >= limit) return chosen;
      const { id, scheduleId, afterEarlier } = run;
      const waits = afterEarlier && scheduleId !== null && (behind.has(scheduleId) || (await hasEarlierRun(tx, scheduleId, id)));
      if (scheduleId !== null) behind.add(scheduleId);
      if (!waits) chosen.push(id);
    }
    const last = waiting.at(-1);
    if (!last || waiting.length < BATCH) return chosen;
    after = last.id;
  }
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
