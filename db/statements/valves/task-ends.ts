import { sql } from "drizzle-orm";
import type { Executor } from "../../client";
import { firstIdAt, OLDEST_RUN_MS } from "../breakers/worker-ends";
import { taskOfNode } from "./task-of-node";

interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** So many of the newest failures of a project are looked at; where there are more, they say enough of a shorter time. */
export const MOST_FAILURES = 2_000;

export interface TaskFailures {
  readonly task: string;
  readonly at: readonly Date[];
}

/**
 * What failed in a project lately, by task as a valve names it. That its worker was lost is not a task's failure. Index:
 * error_events_project_time, walked backwards, and the partition by the run.
 */
export async function failuresOfTasks(db: Executor, projectId: string, { from, to }: Span): Promise<readonly TaskFailures[]> {
  const rows = await db.execute<{ task: string; at_ms: number[] }>(sql`
    with newest as materialized (
      select e.run_id, e.node_key, e.at from error_events e
      where e.project_id = ${projectId}::uuid and e.at > ${from.toISOString()}::timestamptz and e.at <= ${to.toISOString()}::timestamptz
        and e.run_id >= ${firstIdAt(from.getTime() - OLDEST_RUN_MS)}::uuid and not e.code ^@ 'APOLLO_WORKER_LOST_'
      order by e.at desc limit ${MOST_FAILURES}
    ), nodes as materialized (
      select r.version_id, n.node_key, array_agg((extract(epoch from n.at) * 1000)::float8) as at_ms
      from newest n cross join lateral (select version_id from runs where id = n.run_id limit 1) r
      group by r.version_id, n.node_key
    )
    select valve_task(d.definition, n.node_key) as task, array_agg(t.ms) as at_ms
    from nodes n join pipeline_versions d on d.id = n.version_id cross join lateral unnest(n.at_ms) as t (ms)
    group by 1
  `);
  return rows.flatMap(({ task, at_ms }) => (task === null ? [] : [{ task, at: at_ms.map((ms) => new Date(Math.round(ms))) }]));
}

/**
 * How many attempts of a task succeeded, counted up to `enough` and no further: where it is well, that is after a few rows.
 * Index: attempts_ended, and the partition by the run.
 */
export async function successesOfTask(
  db: Executor,
  { projectId, task, from, to, enough }: Span & { readonly projectId: string; readonly task: string; readonly enough: number },
): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    with versions as materialized (
      select d.id, array_agg(x.v ->> 'key') as keys
      from pipelines p join pipeline_versions d on d.pipeline_id = p.id
      cross join lateral jsonb_array_elements(d.definition #> '{spec,nodes}') as x (v)
      where p.project_id = ${projectId}::uuid
        and ${taskOfNode} = ${task}
      group by d.id
    )
    select count(*)::integer as count from (
      select 1 from attempts a
      cross join lateral (select version_id from runs where id = a.run_id limit 1) r
      join versions v on v.id = r.version_id and a.node_key = any (v.keys)
      where a.committed_at > ${from.toISOString()}::timestamptz and a.committed_at <= ${to.toISOString()}::timestamptz
        and a.run_id >= ${firstIdAt(from.getTime() - OLDEST_RUN_MS)}::uuid and a.outcome = 'succeeded'
      limit ${enough}
    ) s
  `);
  return row?.count ?? 0;
}
