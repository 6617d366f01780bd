import { sql } from "drizzle-orm";
import type { Executor } from "../../client";
import { textArray } from "../array";

export interface CellRow {
  readonly worker_id: string;
  readonly code: string;
  readonly count: number;
}

/** Of a worker with more failures than this, those of the projects are looked for among the newest. */
const MOST_LOOKED_AT = 50_000;

/**
 * How often each worker failed with each code, counted over its newest failures within these projects, so that a storm costs
 * no more than a bad day, and the storm of another project hides nothing. `projectIds` null counts all of them. Index:
 * error_events_worker.
 */
export async function boardCells(
  db: Executor,
  workerIds: readonly string[],
  { since, projectIds, mostOfEach }: { readonly since: Date; readonly projectIds: readonly string[] | null; readonly mostOfEach: number },
): Promise<CellRow[]> {
  if (workerIds.length === 0) return [];
  const rows = await db.execute<CellRow & Record<string, unknown>>(sql`
    select x.worker_id, f.code, count(*)::integer as count
    from unnest(${textArray(workerIds)}::text[]) as x (worker_id)
    cross join lateral (
      select l.code from (
        select e.code, e.project_id from error_events e
        where e.worker_id = x.worker_id and e.at > ${since.toISOString()}::timestamptz order by e.at desc limit ${MOST_LOOKED_AT}
      ) l
      ${projectIds === null ? sql`` : sql`where l.project_id = any (${textArray(projectIds)}::uuid[])`} limit ${mostOfEach}
    ) f
    group by x.worker_id, f.code order by count desc, f.code, x.worker_id
  `);
  return [...rows];
}
