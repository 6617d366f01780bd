import { sql } from "drizzle-orm";
import { poolKey } from "../../../server/domain/pool/limit-key";
import type { Executor } from "../../client";

/** Pools that live versions of a project name, each with the names of their pipelines. */
export async function namedPools(db: Executor, projectId: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db.execute<{ pool: string; pipelines: string[] }>(sql`
    select n ->> 'pool' as pool, array_agg(distinct p.name order by p.name) as pipelines
    from pipelines p join pipeline_versions v on v.id = p.live_version_id
    cross join lateral jsonb_array_elements(v.definition -> 'spec' -> 'nodes') as n
    where p.project_id = ${projectId}::uuid and p.deleted_at is null and n ? 'pool' group by 1
  `);
  return new Map(rows.map((row) => [row.pool, row.pipelines]));
}

/** How many nodes wait in each pool of a project. Index: node_runs_ready, which holds the ready nodes alone. */
export async function waitingByPool(db: Executor, projectId: string): Promise<ReadonlyMap<string, number>> {
  const prefix = poolKey(projectId, "");
  const rows = await db.execute<{ pool_key: string; waiting: number }>(sql`
    select pool_key, count(*)::integer as waiting from node_runs
    where state = 'QUEUED' and not held and pool_key like ${`${prefix}%`} group by pool_key
  `);
  return new Map(rows.map((row) => [row.pool_key.slice(prefix.length), row.waiting]));
}
