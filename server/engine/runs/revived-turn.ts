import { eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { runs } from "@/db/schema/runs";
import { activeRunCount, holdStartable, lockTurns } from "@/db/statements/state/turns";
import { DomainError } from "@/server/domain/failure";
import { isTerminalRun, type RunState } from "@/server/domain/run/states";
import type { OpenRun } from "./open-run";

/** What a run that may come back to life needs of its pipeline, held until the commit. */
export interface HeldTurn {
  readonly pipeline: Awaited<ReturnType<typeof holdStartable>>;
}

/** Holds the pipeline and its turns before the run is locked, in the order in which whoever starts or deletes takes them. */
export async function holdTurn(tx: Tx, runId: string): Promise<HeldTurn | null> {
  const [row] = await tx.select({ pipelineId: runs.pipelineId }).from(runs).where(eq(runs.id, runId));
  if (!row) return null;
  const pipeline = await holdStartable(tx, row.pipelineId);
  await lockTurns(tx, [row.pipelineId]);
  return { pipeline };
}

/**
 * A run that has ended and goes on again counts against the limit of its pipeline as a start does (B26): it takes no turn
 * that is not free. It has begun, so it cannot wait in line; the person is told to come back.
 */
export async function refuseWithoutTurn(tx: Tx, open: OpenRun, { pipeline }: HeldTurn, restarts: boolean): Promise<void> {
  const { row, facts, version } = open;
  const { name } = version.definition.metadata;
  const revived = isTerminalRun(row.state as RunState) && !isTerminalRun(facts.state);
  if (pipeline === "deleted" && (revived || restarts)) {
    throw new DomainError("unprocessable", `pipeline ${name} was deleted; its history stays, and nothing of it runs again`, {
      details: { runId: row.id },
    });
  }
  if (!revived) return;
  if (pipeline === "archived") throw new DomainError("unprocessable", `pipeline ${name} is archived; bring it back to run it`);
  const limit = version.definition.spec.concurrency;
  // One that never had its turn waits for it as before.
  if (limit === undefined || !facts.activated) return;
  const active = await activeRunCount(tx, row.pipelineId);
  if (active < limit) return;
  const runsAtOnce = limit === 1 ? "one run" : `${limit} runs`;
  throw new DomainError(
    "conflict",
    `pipeline ${name} allows ${runsAtOnce} at once and ${active} are active; bring this one back when one of them has ended`,
    { details: { runId: row.id, limit, active } },
  );
}
