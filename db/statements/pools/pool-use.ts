import { sql } from "drizzle-orm";
import { poolKey } from "../../../server/domain/pool/limit-key";
import type { Executor } from "../../client";

export interface PoolUse {
  /** Names of pipelines whose live version names the pool. */
  readonly pipelines: readonly string[];
  /** Nodes of unfinished runs that need a slot of it, now or later. */
  readonly nodes: number;
}

/** What would be left without a pool. Index: runs_live, once for each pipeline of the project, and the key of node_runs. */
export async function poolUse(db: Executor, projectId: string, pool: string): Promise<PoolUse> {
  const [row] = await db.execute<{ pipelines: string[] | null; nodes: number }>(sql`
    select (
      select array_agg(p.name order by p.name) from pipelines p join pipeline_versions v on v.id = p.live_version_id
      where p.project_id = ${projectId}::uuid and p.deleted_at is null
        and v.definition @? (${`$.spec.nodes[*] ? (@.pool == ${JSON.stringify(pool)})`})::jsonpath
    ) as pipelines, (
      select count(*)::integer from pipelines p
      join runs r on r.pipeline_id = p.id and r.state in ('PENDING', 'RUNNING', 'PAUSED')
      join node_runs n on n.run_id = r.id and n.pool_key = ${poolKey(projectId, pool)}
        and n.state not in ('SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED')
      where p.project_id = ${projectId}::uuid
    ) as nodes
  `);
  return { pipelines: row?.pipelines ?? [], nodes: row?.nodes ?? 0 };
}
