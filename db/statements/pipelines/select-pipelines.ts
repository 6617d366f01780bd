import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../client";

export interface PipelineFilter {
  readonly projectId: string;
  readonly pipelineId?: string;
  /** Found in name, title, owner, labels, or in what its nodes read and write. */
  readonly search?: string;
  readonly archived: boolean;
  /** Name of the last pipeline of the page before. */
  readonly after?: string;
  readonly limit: number;
}

export interface PipelineSummaryRow {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly owner: string;
  readonly labels: Record<string, string>;
  readonly enabled: boolean;
  readonly archivedAt: Date | null;
  readonly managedBy: string;
  readonly liveVersionNo: number | null;
  readonly draftDiffers: boolean;
  readonly draftRevision: number;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly nodeCount: number;
  readonly idempotentCount: number;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedBy: string;
  readonly updatedAt: Date;
}

interface Raw extends Record<string, unknown> {
  id: string;
  name: string;
  title: string;
  owner: string;
  labels: Record<string, string>;
  enabled: boolean;
  archived_at: string | null;
  managed_by: string;
  live_version_no: number | null;
  draft_differs: boolean;
  draft_revision: number;
  reads: string[];
  writes: string[];
  node_count: number;
  idempotent_count: number;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
}

const escaped = (text: string) => `%${text.replace(/[\\%_]/g, (mark) => `\\${mark}`)}%`;

/** What touches a table stands in the definition, which is the live one, or the draft where nothing is live. */
function searched(search: string): SQL {
  const pattern = escaped(search);
  return sql`and (p.name ilike ${pattern} or p.title ilike ${pattern} or p.owner ilike ${pattern} or p.labels::text ilike ${pattern}
    or jsonb_path_query_array(d.definition, '$.spec.nodes[*].reads[*]')::text ilike ${pattern}
    or jsonb_path_query_array(d.definition, '$.spec.nodes[*].writes[*]')::text ilike ${pattern})`;
}

/** Pipelines of a project by name, with what their definition says of them; a deleted one is not among them. */
export async function selectPipelines(db: Executor, filter: PipelineFilter): Promise<PipelineSummaryRow[]> {
  const rows = await db.execute<Raw>(sql`
    select p.id, p.name, p.title, p.owner, p.labels, p.enabled, p.archived_at, p.managed_by, p.live_version_no, p.draft_revision,
      p.created_by, p.created_at, p.updated_by, p.updated_at,
      (p.draft is not null and p.draft is distinct from v.definition) as draft_differs,
      jsonb_path_query_array(d.definition, '$.spec.nodes[*].reads[*]') as reads,
      jsonb_path_query_array(d.definition, '$.spec.nodes[*].writes[*]') as writes,
      jsonb_array_length(jsonb_path_query_array(d.definition, '$.spec.nodes[*]')) as node_count,
      jsonb_array_length(jsonb_path_query_array(d.definition, '$.spec.nodes[*] ? (@.idempotent == true)')) as idempotent_count
    from pipelines p
    left join pipeline_versions v on v.id = p.live_version_id
    cross join lateral (select coalesce(v.definition, p.draft, '{}'::jsonb) as definition) d
    where p.project_id = ${filter.projectId} and p.deleted_at is null
      ${filter.pipelineId ? sql`and p.id = ${filter.pipelineId}` : sql`and (p.archived_at is not null) = ${filter.archived}`}
      ${filter.after === undefined ? sql`` : sql`and p.name > ${filter.after}`}
      ${filter.search ? searched(filter.search) : sql``}
    order by p.name limit ${filter.limit}
  `);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    title: row.title,
    owner: row.owner,
    labels: row.labels,
    enabled: row.enabled,
    archivedAt: row.archived_at === null ? null : new Date(row.archived_at),
    managedBy: row.managed_by,
    liveVersionNo: row.live_version_no,
    draftDiffers: row.draft_differs,
    draftRevision: row.draft_revision,
    reads: [...new Set(row.reads)],
    writes: [...new Set(row.writes)],
    nodeCount: row.node_count,
    idempotentCount: row.idempotent_count,
    createdBy: row.created_by,
    createdAt: new Date(row.created_at),
    updatedBy: row.updated_by,
    updatedAt: new Date(row.updated_at),
  }));
}
