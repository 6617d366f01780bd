import { and, gte, lte, sql } from "drizzle-orm";
import type { Executor } from "../../client";
import { dependencyCalls } from "../../schema/dependencies";
import { textArray } from "../array";
import type { Span } from "./code-bursts";

const at = (date: Date) => sql`${date.toISOString()}::timestamptz`;

export interface CallRow {
  readonly projectId: string;
  readonly versionId: string;
  readonly nodeKey: string;
  /** Null for a node that calls none. */
  readonly host: string | null;
  readonly minute: Date;
  readonly bucket: number;
  /** Null where it went well. */
  readonly code: string | null;
  readonly calls: number;
}

/**
 * Attempts that ended after `from`, until `to`, by what they called, how long they took and how they ended. The duration is the
 * request's own where the worker told it, else the attempt's. Index: attempts_ended, and the month by the run.
 */
export async function callsEnded(db: Executor, { from, to }: Span): Promise<readonly CallRow[]> {
  const rows = await db.execute<{
    project_id: string;
    version_id: string;
    node_key: string;
    host: string | null;
    minute_ms: number;
    bucket: number;
    code: string | null;
    calls: number;
  }>(sql`
    select r.project_id, r.version_id, a.node_key, lower(a.host) as host, (extract(epoch from a.minute) * 1000)::float8 as minute_ms,
      case when a.ms > 1 then least(80, ceil(log(2, a.ms::numeric) * 4))::integer else 0 end as bucket, a.code, count(*)::integer as calls
    from (
      select run_id, node_key, date_trunc('minute', committed_at) as minute,
        left(substring(response ->> 'url' from '^[a-zA-Z]+://(?:[^/?#@]*@)?([^/?#]+)'), 200) as host,
        coalesce((response ->> 'durationMs')::float8, extract(epoch from committed_at - executing_at) * 1000) as ms,
        case when outcome <> 'succeeded' then coalesce(error_code, 'APOLLO_NODE_FAILED_500') end as code
      from attempts
      where committed_at > ${at(from)} and committed_at <= ${at(to)} and run_id >= uuid7_floor(${at(from)} - interval '35 days')
        and outcome in ('succeeded', 'failed', 'timed_out') and executing_at is not null and worker_id is not null
    ) a
    join runs r on r.id = a.run_id
    join pipeline_versions v on v.id = r.version_id
    group by 1, 2, 3, 4, 5, 6, 7
  `);
  return rows.map(({ project_id, version_id, node_key, minute_ms, host, bucket, code, calls }) => ({
    ...{ projectId: project_id, versionId: version_id, nodeKey: node_key, host, bucket, code, calls },
    minute: new Date(Math.round(minute_ms)),
  }));
}

export interface NameOf {
  readonly kind: string;
  readonly name: string;
}

export interface CallsWanted extends Span {
  readonly grain: "minute" | "hour";
}

/** What is kept of these dependencies within a span of time. Index: dependency_calls_pkey. */
export function readCalls(db: Executor, projectId: string, names: readonly NameOf[], { grain, from, to }: CallsWanted) {
  const [kinds, words] = [textArray(names.map(({ kind }) => kind)), textArray(names.map(({ name }) => name))];
  return db
    .select()
    .from(dependencyCalls)
    .where(
      and(
        sql`${dependencyCalls.projectId} = ${projectId}::uuid and ${dependencyCalls.grain} = ${grain}`,
        sql`(${dependencyCalls.kind}, ${dependencyCalls.name}) in (select * from unnest(${kinds}::text[], ${words}::text[]))`,
        gte(dependencyCalls.at, from),
        lte(dependencyCalls.at, to),
      ),
    )
    .orderBy(dependencyCalls.at);
}
