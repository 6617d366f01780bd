import { and, eq, inArray } from "drizzle-orm";
import type { Tx } from "../../client";
import { pipelines } from "../../schema/pipelines";
import { runRequests, runs } from "../../schema/runs";

export interface EarlierRequest {
  readonly key: string;
  readonly hash: string;
  /** Null when the run has left with its month. */
  readonly run: { readonly id: string; readonly state: string; readonly pipelineId: string; readonly pipelineName: string | null } | null;
}

/** What the idempotency keys of a project were used for. Index: the primary keys. */
export async function earlierRequests(tx: Tx, projectId: string, keys: readonly string[]): Promise<ReadonlyMap<string, EarlierRequest>> {
  const rows = await tx
    .select({
      key: runRequests.key,
      hash: runRequests.requestHash,
      id: runs.id,
      state: runs.state,
      pipelineId: runs.pipelineId,
      pipelineName: pipelines.name,
    })
    .from(runRequests)
    .leftJoin(runs, eq(runs.id, runRequests.runId))
    .leftJoin(pipelines, eq(pipelines.id, runs.pipelineId))
    .where(and(eq(runRequests.projectId, projectId), inArray(runRequests.key, [...keys])));
  const known = rows.map(({ key, hash, id, state, pipelineId, pipelineName }) => {
    const run = id === null || state === null || pipelineId === null ? null : { id, state, pipelineId, pipelineName };
    return [key, { key, hash, run }] as const;
  });
  return new Map(known);
}

/**
 * The ids of the runs that have their key now. A transaction that has inserted one of the keys before is waited for; the
 * keys go in by their order, so that two transactions never wait for each other in a ring.
 */
export async function takeRequestKeys(tx: Tx, rows: readonly (typeof runRequests.$inferInsert)[]): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const sorted = [...rows].sort((a, b) => (a.key < b.key ? -1 : 1));
  const won = await tx.insert(runRequests).values(sorted).onConflictDoNothing().returning({ runId: runRequests.runId });
  return new Set(won.map(({ runId }) => runId));
}
