import { sql } from "drizzle-orm";
import type { Executor } from "../../client";

export interface QuietNode {
  readonly runId: string;
  readonly key: string;
  readonly token: number;
  readonly projectId: string;
  readonly pipelineId: string;
  readonly pipeline: string;
  readonly owner: string;
  readonly versionNo: number;
  readonly workerId: string;
  /** As the definition says it; null where it says nothing. */
  readonly stall: unknown;
  /** Of this attempt. */
  readonly startedAt: Date;
  readonly lastLineAt: Date | null;
}

interface Row extends Record<string, unknown> {
  readonly run_id: string;
  readonly key: string;
  readonly token: number;
  readonly project_id: string;
  readonly pipeline_id: string;
  readonly pipeline: string;
  readonly owner: string;
  readonly no: number;
  readonly worker_id: string;
  readonly stall: unknown;
  readonly started_ms: number;
  readonly line_ms: number | null;
}

/** Whoever has given a sign within this is not looked at. */
const QUIET_MS = 10_000;

/**
 * Running attempts that have given no sign for a while, the quietest first. A line of log is a sign, and so is a progress that a
 * task reports, which is one. Index: node_runs_timeout, which holds what runs alone, and the keys.
 */
export async function readQuietNodes(db: Executor, limit: number): Promise<readonly QuietNode[]> {
  const rows = await db.execute<Row>(sql`
    with running as materialized (
      select n.run_id, n.key, n.token, n.worker_id, n.timeout_at - n.timeout_ms * interval '1 millisecond' as started, (
        select c.at from log_chunks c where c.run_id = n.run_id and c.node_key = n.key
        order by c.generation desc, c.attempt_no desc, c.chunk desc limit 1
      ) as line
      from node_runs n
      where n.state = 'RUNNING' and n.worker_id is not null and n.timeout_at is not null
        and n.timeout_at - n.timeout_ms * interval '1 millisecond' < clock_timestamp() - ${QUIET_MS} * interval '1 millisecond'
    ), quiet as materialized (
      select * from running where greatest(started, line) < clock_timestamp() - ${QUIET_MS} * interval '1 millisecond'
      order by greatest(started, line) limit ${limit}
    )
    select q.run_id, q.key, q.token, q.worker_id, r.project_id, r.pipeline_id, p.name as pipeline, p.owner, r.version_no as no, (
        select x.v -> 'stall' from jsonb_array_elements(d.definition #> '{spec,nodes}') as x (v) where x.v ->> 'key' = q.key
      ) as stall,
      (extract(epoch from q.started) * 1000)::float8 as started_ms, (extract(epoch from q.line) * 1000)::float8 as line_ms
    from quiet q
    cross join lateral (select project_id, pipeline_id, version_id, version_no from runs where id = q.run_id limit 1) r
    join pipelines p on p.id = r.pipeline_id join pipeline_versions d on d.id = r.version_id
  `);
  return rows.map((row) => ({
    ...{ runId: row.run_id, key: row.key, token: row.token, workerId: row.worker_id },
    ...{ projectId: row.project_id, pipelineId: row.pipeline_id, pipeline: row.pipeline, owner: row.owner, versionNo: row.no },
    stall: row.stall,
    startedAt: new Date(row.started_ms),
    lastLineAt: row.line_ms === null ? null : new Date(row.line_ms),
  }));
}
