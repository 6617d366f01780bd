import { sql } from "drizzle-orm";
import type { Executor } from "../../client";

export interface RecentRun {
  readonly pipelineId: string;
  readonly id: string;
  readonly state: string;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

/** The newest runs of each of some pipelines, newest first: one index walk a pipeline. Index: runs_pipeline. */
export async function recentRuns(db: Executor, pipelineIds: readonly string[], count: number): Promise<RecentRun[]> {
  if (pipelineIds.length === 0) return [];
  const rows = await db.execute<{
    pipeline_id: string;
    id: string;
    state: string;
    created_at: string;
    started_at: string | null;
    ended_at: string | null;
  }>(sql`
    select p.id as pipeline_id, r.id, r.state, r.created_at, r.started_at, r.ended_at
    from (select jsonb_array_elements_text(${JSON.stringify(pipelineIds)}::jsonb)::uuid as id) p
    cross join lateral (
      select id, state, created_at, started_at, ended_at from runs where pipeline_id = p.id order by id desc limit ${count}
    ) r
    order by r.id desc
  `);
  return rows.map((row) => ({
    pipelineId: row.pipeline_id,
    id: row.id,
    state: row.state,
    createdAt: new Date(row.created_at),
    startedAt: row.started_at === null ? null : new Date(row.started_at),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at),
  }));
}
