import { sql } from "drizzle-orm";
import type { Executor } from "../client";

export interface PastFailureRow {
  readonly code: string;
  readonly versionId: string;
  readonly count: number;
}

/**
 * The newest failures of a project since then, at most so many, counted by code and version of their pipeline. Index:
 * error_events_project_time, read backwards; a run each, by its key.
 */
export async function readPastFailures(db: Executor, projectId: string, since: Date, limit: number): Promise<PastFailureRow[]> {
  const rows = await db.execute<{ code: string; version_id: string; count: number }>(sql`
    select e.code, r.version_id, count(*)::integer as count
    from (
      select run_id, code from error_events
      where project_id = ${projectId}::uuid and at >= ${since.toISOString()}::timestamptz
      order by at desc limit ${limit}
    ) e
    join runs r on r.id = e.run_id
    group by e.code, r.version_id
  `);
  return rows.map(({ code, version_id, count }) => ({ code, versionId: version_id, count }));
}
