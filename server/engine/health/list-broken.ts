import { sql } from "drizzle-orm";
import { UNHEALTHY_NODE_STATES } from "@/server/domain/run/states";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export interface BrokenGroup {
  readonly pipeline: { readonly id: string; readonly name: string; readonly title: string; readonly owner: string };
  /** Null where the node carries no code, as one that a person raised to review. */
  readonly code: string | null;
  readonly nodes: number;
  readonly runs: number;
  /** Of the one that has waited longest. */
  readonly ageMs: number;
  /** The newest of the runs, where to look first. */
  readonly runId: string;
  readonly nodeKey: string;
  readonly message: string | null;
}

interface Row {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly owner: string;
  readonly error_code: string | null;
  readonly nodes: number;
  readonly runs: number;
  readonly age_ms: number;
  readonly newest: { readonly run: string; readonly key: string; readonly message: string | null };
}

const MOST = 50;

/**
 * Unhealthy nodes of live runs, by pipeline and code, the most first (ALT-7); with them what has failed and is to be tried again,
 * but is held by a pause, for which nothing comes by itself (EXC-8). Index: runs_live, then the key of node_runs.
 */
export async function listBroken(ctx: Ctx, projectId: string): Promise<BrokenGroup[]> {
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db.execute<Row>(sql`
    select p.id, p.name, p.title, p.owner, n.error_code, count(*)::integer as nodes, count(distinct r.id)::integer as runs,
      (extract(epoch from clock_timestamp() - min(coalesce(n.ended_at, n.started_at, r.created_at))) * 1000)::float8 as age_ms,
      (array_agg(jsonb_build_object('run', r.id, 'key', n.key, 'message', n.error_message) order by r.id desc, n.ord))[1] as newest
    from pipelines p
    join runs r on r.pipeline_id = p.id and r.state in ('PENDING','RUNNING','PAUSED')
    join node_runs n on n.run_id = r.id
      and (n.state in (select jsonb_array_elements_text(${JSON.stringify(UNHEALTHY_NODE_STATES)}::jsonb))
        or (n.held and n.error_code is not null and n.state in ('RETRYING', 'QUEUED')))
    where p.project_id = ${projectId}::uuid
    group by p.id, n.error_code
    order by runs desc, age_ms desc
    limit ${MOST}
  `);
  return rows.map(({ id, name, title, owner, newest, ...row }) => ({
    pipeline: { id, name, title, owner },
    code: row.error_code,
    nodes: row.nodes,
    runs: row.runs,
    ageMs: Math.max(0, Math.round(row.age_ms)),
    runId: newest.run,
    nodeKey: newest.key,
    message: newest.message,
  }));
}
