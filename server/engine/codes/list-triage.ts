import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { recentRunsOnly } from "@/db/statements/recent-runs";
import { nearCodes } from "@/server/domain/codes/near-codes";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export const triageSchema = z.strictObject({ projectId: z.uuid(), cursor: z.string().max(100).optional(), limit: pageLimitSchema });
export type TriageFilter = z.input<typeof triageSchema>;

/** How far back the inbox looks, and at how many events at most: a storm must not make it slow. */
export const TRIAGE_DAYS = 30;
export const TRIAGE_EVENTS = 10_000;

/** Events that are alike: one code, one stack, one shape of message. */
export interface TriageCluster {
  readonly code: string;
  readonly stackHash: string;
  readonly shape: string;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly samples: readonly { readonly runId: string; readonly nodeKey: string; readonly message: string; readonly at: Date }[];
  readonly pipelines: readonly { readonly id: string; readonly title: string }[];
  /** Registered codes that it may be: mapped before with this stack or shape, or near by name. */
  readonly suggestions: readonly string[];
}

interface Row {
  readonly [column: string]: unknown;
  readonly code: string;
  readonly stack_hash: string;
  readonly shape: string;
  readonly count: number;
  readonly first_ms: number;
  readonly last_ms: number;
  readonly newest: string;
  readonly samples: { readonly runId: string; readonly nodeKey: string; readonly message: string; readonly atMs: number }[];
  readonly pipelines: { readonly id: string; readonly title: string }[];
  readonly taught: readonly string[];
}

/**
 * The triage inbox: codes that came in events and that the register does not know, newest first (EXC-1). What was
 * proposed or mapped has left it; the platform's own codes never come. Index: error_events_project_time.
 */
export async function listTriage(ctx: Ctx, given: TriageFilter): Promise<Page<TriageCluster>> {
  const { projectId, cursor, limit } = parseInput(triageSchema, given);
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db.execute<Row>(triageQuery(projectId, cursor, limit));
  const registered = rows.length === 0 ? [] : await registeredCodes(ctx, projectId);
  return pageOf(
    rows,
    limit,
    (row) => `${Math.round(row.last_ms)}_${row.newest}`,
    (row) => clusterOf(row, registered),
  );
}

export const triageQuery = (projectId: string, cursor: string | undefined, limit: number): SQL => sql`
  with recent as materialized (
    select e.code, coalesce(e.stack_hash, '') as stack_hash, e.shape, e.message, e.at, e.id, e.run_id, e.node_key, e.pipeline_id
    from error_events e
    where e.project_id = ${projectId}::uuid and e.at > now() - make_interval(days => ${TRIAGE_DAYS})
      and ${recentRunsOnly(sql`e.run_id`, TRIAGE_DAYS)}
      and not (e.code ^@ 'APOLLO_' or e.code ^@ 'WORKER_')
      and not exists (select from error_codes c where c.project_id = e.project_id and c.code = e.code)
    order by e.at desc limit ${TRIAGE_EVENTS}
  ), clusters as (
    select code, stack_hash, shape, count(*)::integer as count, min(at) as first_at, max(at) as last_at,
      (array_agg(id order by at desc, id desc))[1] as newest,
      (array_agg(jsonb_build_object('runId', run_id, 'nodeKey', node_key, 'message', left(message, 500),
        'atMs', (extract(epoch from at) * 1000)::bigint) order by at desc, id desc))[1:3] as samples,
      array_agg(distinct pipeline_id) as pipeline_ids
    from recent group by 1, 2, 3
  )
  select s.code, s.stack_hash, s.shape, s.count, s.newest, to_jsonb(s.samples) as samples,
    (extract(epoch from s.first_at) * 1000)::float8 as first_ms, (extract(epoch from s.last_at) * 1000)::float8 as last_ms,
    (select jsonb_agg(jsonb_build_object('id', p.id, 'title', p.title) order by p.title) from pipelines p where p.id = any(s.pipeline_ids)) as pipelines,
    array(
      select distinct m.to_code from code_mappings m
      where m.project_id = ${projectId}::uuid and m.undone_at is null
        and ((s.stack_hash <> '' and m.stack_hash = s.stack_hash) or m.shape = s.shape)
    ) as taught
  from clusters s
  where not exists (
    select from code_mappings m where m.project_id = ${projectId}::uuid and m.undone_at is null
      and m.from_code = s.code and m.stack_hash = s.stack_hash and m.shape = s.shape
  ) ${olderThan(cursor)}
  order by s.last_at desc, s.newest desc
  limit ${limit + 1}
`;

async function registeredCodes(ctx: Ctx, projectId: string): Promise<string[]> {
  const rows = await ctx.db.execute<{ code: string }>(
    sql`select code from error_codes where project_id = ${projectId}::uuid and state = 'registered' order by code`,
  );
  return rows.map(({ code }) => code);
}

const clusterOf = (row: Row, registered: readonly string[]): TriageCluster => ({
  code: row.code,
  stackHash: row.stack_hash,
  shape: row.shape,
  count: row.count,
  firstAt: new Date(row.first_ms),
  lastAt: new Date(row.last_ms),
  samples: row.samples.map(({ atMs, ...sample }) => ({ ...sample, at: new Date(atMs) })),
  pipelines: row.pipelines ?? [],
  suggestions: [...new Set([...row.taught, ...nearCodes(row.code, registered).map(({ code }) => code)])]
    .filter((code) => registered.includes(code))
    .slice(0, 5),
});

const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})$/;

function olderThan(cursor: string | undefined): SQL {
  if (cursor === undefined) return sql``;
  const [, ms, id] = CURSOR.exec(cursor) ?? [];
  if (!ms || !id) {
    throw new DomainError("invalid_input", `cursor: "${cursor}" is not one that this list gave; leave it out to begin at the newest`, {
      issues: [{ path: "cursor", code: "cursor", message: "not a cursor of this list" }],
    });
  }
  return sql`and (s.last_at, s.newest) < (${new Date(Number(ms)).toISOString()}::timestamptz, ${id}::uuid)`;
}
