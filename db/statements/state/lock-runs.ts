import { and, asc, eq, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client";
import { nodeRuns, runs } from "../../schema/runs";
import { clockOf } from "../clock";

export type RunRow = typeof runs.$inferSelect;
export type NodeRow = typeof nodeRuns.$inferSelect;

/** One parameter for any number of ids, so that the text stays the same and is prepared. */
const idsOf = (ids: readonly string[]) => sql`any (${`{${[...new Set(ids)].join(",")}}`}::uuid[])`;

/**
 * Locks runs in the order of their ids, so that two transactions that hold several never wait for each other in a ring.
 * A decision reads and writes under this lock; a claim takes none of it. `now` is the database's, after the lock was had.
 */
export async function lockRuns(tx: Tx, ids: readonly string[]): Promise<{ readonly runs: RunRow[]; readonly now: Date }> {
  if (ids.length === 0) return { runs: [], now: await clockOf(tx) };
  const locked = await tx
    .select()
    .from(runs)
    .where(sql`${runs.id} = ${idsOf(ids)}`)
    .orderBy(asc(runs.id))
    .for("no key update")
    .prepare("lock_runs")
    .execute();
  return { runs: locked, now: await clockOf(tx) };
}

export async function nodesOf(db: Executor, runIds: readonly string[]): Promise<NodeRow[]> {
  if (runIds.length === 0) return [];
  return db
    .select()
    .from(nodeRuns)
    .where(sql`${nodeRuns.runId} = ${idsOf(runIds)}`)
    .orderBy(asc(nodeRuns.runId), asc(nodeRuns.ord))
    .prepare("nodes_of")
    .execute();
}

/** The same, with the queued ones locked first: no claim can take one while a person's wish is decided. */
export async function nodesWithoutClaims(tx: Tx, runId: string): Promise<NodeRow[]> {
  await tx
    .select({ key: nodeRuns.key })
    .from(nodeRuns)
    .where(and(eq(nodeRuns.runId, runId), eq(nodeRuns.state, "QUEUED")))
    .orderBy(asc(nodeRuns.key))
    .for("no key update");
  return nodesOf(tx, [runId]);
}
