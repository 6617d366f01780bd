import { and, eq, ne, sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { nodeRuns } from "@/db/schema/runs";
import type { WorkerLease } from "@/server/domain/run/work";

export interface OwnAttempt {
  readonly runId: string;
  readonly key: string;
  readonly generation: number;
  readonly attemptNo: number;
  readonly executionId: string;
  readonly token: number;
  readonly group: string;
  readonly startedAt: Date;
}

/**
 * What the database says that this worker runs. One that it does not know of came by a claim or a hand-on whose answer was
 * lost with the connection, and nobody else would find it while the worker lives. Index: node_runs_worker.
 */
export async function attemptsOf(
  ctx: { readonly db: Executor },
  worker: Pick<WorkerLease, "id" | "bootId">,
): Promise<readonly OwnAttempt[]> {
  return ctx.db
    .select({
      runId: nodeRuns.runId,
      key: nodeRuns.key,
      generation: nodeRuns.generation,
      attemptNo: nodeRuns.attemptNo,
      executionId: nodeRuns.executionId,
      token: nodeRuns.token,
      group: nodeRuns.workerGroup,
      startedAt: sql<Date>`coalesce(${nodeRuns.startedAt}, clock_timestamp())`.mapWith(nodeRuns.startedAt),
    })
    .from(nodeRuns)
    .where(
      and(
        eq(nodeRuns.state, "RUNNING"),
        ne(nodeRuns.type, "wait"),
        eq(nodeRuns.workerId, worker.id),
        eq(nodeRuns.workerBoot, worker.bootId),
      ),
    );
}
