import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "../../client";
import { taskOfNode } from "./task-of-node";

/**
 * Waits for whoever is making a node ready and may not have seen a valve; while it is held nobody does. It holds up every
 * settle, so that it is the last lock of its transaction, or the only one.
 */
export async function lockValves(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(1635085361, 1)`);
}

export interface HeldTarget {
  readonly no: number;
  readonly kind: "node" | "task" | "group";
  readonly projectId: string | null;
  readonly pipelineId: string | null;
  readonly target: string;
}

/**
 * Holds up to `limit` of the nodes that were ready when a valve was closed, each with its place and its pool; answers with their
 * groups, one for each. What a pause holds is held when it is resumed. Index: node_runs_ready for a group; else runs_live of the
 * project's pipelines, and the key of node_runs.
 */
export async function holdReady(tx: Tx, valve: HeldTarget, limit: number): Promise<readonly string[]> {
  const rows = await tx.execute<{ worker_group: string }>(sql`
    with found as materialized (${found(valve, limit)}), kept as (
      insert into valve_holds (valve_no, run_id, node_key, pool_key, rank)
      select ${valve.no}::integer, run_id, key, pool_key, coalesce(rank, clock_timestamp()) from found
      on conflict (run_id, node_key) do nothing
    )
    update node_runs n set pool_key = 'valve:' || ${valve.no}::text
    from found f where n.run_id = f.run_id and n.key = f.key and n.state || '' = 'QUEUED'
    returning n.worker_group
  `);
  return rows.map(({ worker_group }) => worker_group);
}

/** In no order: of two who meet crosswise the database ends one, which is tried again. */
function found({ kind, projectId, pipelineId, target }: HeldTarget, limit: number): SQL {
  const ready = sql`n.state = 'QUEUED' and not n.held and n.pool_key < 'valve:'`;
  if (kind === "group") {
    return sql`
      select n.run_id, n.key, n.pool_key, n.rank from node_runs n where ${ready} and n.worker_group = ${target}
      limit ${limit} for no key update`;
  }
  const live = sql`r.state in ('PENDING','RUNNING','PAUSED')`;
  if (kind === "node") {
    return sql`
      select n.run_id, n.key, n.pool_key, n.rank from runs r join node_runs n on n.run_id = r.id and n.key = ${target} and ${ready}
      where r.pipeline_id = ${pipelineId}::uuid and ${live} limit ${limit} for no key update of n`;
  }
  return sql`
    select n.run_id, n.key, n.pool_key, n.rank
    from (
      select d.id, d.pipeline_id, array_agg(x.v ->> 'key') as keys
      from pipelines p join pipeline_versions d on d.pipeline_id = p.id
      cross join lateral jsonb_array_elements(d.definition #> '{spec,nodes}') as x (v)
      where p.project_id = ${projectId}::uuid
        and ${taskOfNode} = ${target}
      group by d.id, d.pipeline_id
    ) d
    join runs r on r.pipeline_id = d.pipeline_id and r.version_id = d.id and ${live}
    join node_runs n on n.run_id = r.id and n.key = any (d.keys) and ${ready}
    limit ${limit} for no key update of n`;
}
