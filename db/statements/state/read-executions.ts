import { inArray, sql } from "drizzle-orm";
import type { Executor } from "../../client";
import { executions } from "../../schema/runs";

/** What the register holds of some executions: their accepted outputs. Index: the primary key, one partition each. */
export async function executionsOf(db: Executor, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db
    .select({ executionId: executions.executionId, result: executions.result, completedBy: executions.completedBy })
    .from(executions)
    .where(inArray(executions.executionId, [...ids]));
}

/** Bytes of what some executions gave, as text: compressed, a large output may look small. Index: the primary key. */
export async function resultSizes(db: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: executions.executionId, bytes: sql<number>`coalesce(octet_length(${executions.result}::text), 0)` })
    .from(executions)
    .where(inArray(executions.executionId, [...ids]));
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}
