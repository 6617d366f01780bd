import { inArray } from "drizzle-orm";
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
