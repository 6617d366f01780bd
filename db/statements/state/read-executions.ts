import { inArray, sql } from "drizzle-orm";
import type { Executor } from "../../client";
import { executions } from "../../schema/runs";
import { prepared } from "../prepared";

/** What the register holds of some executions: their accepted outputs. Index: the primary key, one partition each. */
export async function executionsOf(db: Executor, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db
    .select({ executionId: executions.executionId, result: executions.result, completedBy: executions.completedBy })
    .from(executions)
    .where(inArray(executions.executionId, [...ids]));
}

export interface StoredResult {
  readonly id: string;
  /** As text: compressed, a large output may look small. */
  readonly bytes: number;
  readonly result: unknown;
  /** Left out, since the results of one answer would else be too many bytes together. */
  readonly omitted: boolean;
}

/**
 * What some executions gave, in one answer, as far as it stays within `limit` bytes: no join, however wide, fills the memory
 * of whoever reads it. Index: the primary key, one partition each.
 */
const read = prepared<StoredResult, { ids: string; limit: number }>(
  (value) => sql`
    select id, bytes, case when so_far <= ${value("limit")}::bigint then result end as result, so_far > ${value("limit")}::bigint as omitted
    from (
      select id, result, bytes, sum(bytes) over (order by bytes, id) as so_far from (
        select execution_id as id, result, coalesce(octet_length(result::text), 0) as bytes
        from executions where execution_id = any (${value("ids")}::uuid[])
      ) as each
    ) as summed
  `,
);

export async function resultsWithin(db: Executor, ids: readonly string[], limit: number): Promise<StoredResult[]> {
  return ids.length === 0 ? [] : read(db, { ids: `{${ids.join(",")}}`, limit });
}
