import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../client";

export interface ReviewRow {
  readonly runId: string;
  readonly key: string;
  readonly type: string;
  readonly group: string;
  readonly generation: number;
  readonly attempts: number;
  readonly maybeRepeated: boolean;
  readonly since: Date;
  /** What the register says of its code; null where it says nothing. */
  readonly slaMinutes: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly pipelineTitle: string;
  readonly owner: string;
  readonly runState: string;
  readonly seq: number;
  readonly versionId: string;
  readonly event: string;
  readonly cause: string;
  readonly actor: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ReviewFilter {
  readonly projectId: string;
  readonly code?: string | undefined;
  readonly pipelineId?: string | undefined;
}

export interface ReviewPlace {
  readonly since: Date;
  readonly runId: string;
  readonly key: string;
}

const within = ({ projectId, code, pipelineId }: ReviewFilter): SQL => sql`
  i.project_id = ${projectId}::uuid
    ${code === undefined ? sql`` : sql`and i.code = ${code}`} ${pipelineId === undefined ? sql`` : sql`and i.pipeline_id = ${pipelineId}::uuid`}`;

/** A code's own limit counts once it is registered, and as long as it is kept. Index: error_codes_code. */
const OWN_SLA = sql`select c.sla_minutes from error_codes c where c.project_id = i.project_id and c.code = i.code and c.state <> 'proposed'`;

/**
 * Nodes that wait for a person, the longest first, with the step that brought each there. Index: review_items_queue, which is
 * walked within the project alone and no further than the page; a node, a run, a pipeline and one run's events each.
 */
export async function readReviews(db: Executor, filter: ReviewFilter, after: ReviewPlace | null, limit: number): Promise<ReviewRow[]> {
  const from = after
    ? sql`and (i.since, i.run_id, i.node_key) > (${after.since.toISOString()}::timestamptz, ${after.runId}::uuid, ${after.key})`
    : sql``;
  const rows = await db.execute<Omit<ReviewRow, "since"> & { since: string }>(sql`
    select n.run_id as "runId", n.key, n.type, n.worker_group as "group", n.generation, n.attempts, n.maybe_repeated as "maybeRepeated",
      to_char(i.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since,
      (${OWN_SLA}) as "slaMinutes", n.error_code as "errorCode", n.error_message as "errorMessage",
      p.id as "pipelineId", p.name as "pipelineName", p.title as "pipelineTitle", p.owner, r.state as "runState", r.seq,
      r.version_id as "versionId", coalesce(e.event, '') as event, coalesce(e.cause, '') as cause, coalesce(e.actor, '') as actor,
      coalesce(e.data, '{}') as data
    from (
      select i.* from review_items i where ${within(filter)} ${from} order by i.since, i.run_id, i.node_key limit ${limit}
    ) i
    join node_runs n on n.run_id = i.run_id and n.key = i.node_key and n.state = 'MANUAL_REVIEW'
    join runs r on r.id = i.run_id
    join pipelines p on p.id = i.pipeline_id
    left join lateral (
      select event, cause, data, actor ->> 'label' as actor from run_events
      where run_id = n.run_id and node_key = n.key and to_state = 'MANUAL_REVIEW' order by id desc limit 1
    ) e on true
    order by i.since, i.run_id, i.node_key
  `);
  return rows.map(({ since, ...row }) => ({ ...row, since: new Date(since) }));
}

export interface ReviewCount {
  readonly code: string | null;
  readonly count: number;
  readonly overdue: number;
}

/** Of a queue that is longer than this, the oldest are counted. */
export const MOST_COUNTED = 10_000;

/** How many wait, by code; the most frequent first. Index: review_items_queue, and a code's own limit once each. */
export async function countReviews(db: Executor, projectId: string, slaMinutes: number): Promise<ReviewCount[]> {
  const rows = await db.execute<{ code: string | null; count: number; overdue: number }>(sql`
    with oldest as materialized (
      select i.project_id, i.code, i.since from review_items i where ${within({ projectId })}
      order by i.since, i.run_id, i.node_key limit ${MOST_COUNTED}
    ), limits as (
      select i.code, coalesce((${OWN_SLA}), ${slaMinutes}) * interval '1 minute' as wait from (select distinct project_id, code from oldest) i
    )
    select o.code, count(*)::integer as count, (count(*) filter (where o.since < clock_timestamp() - l.wait))::integer as overdue
    from oldest o join limits l on l.code is not distinct from o.code
    group by o.code order by count(*) desc, o.code
  `);
  return rows.map(({ code, count, overdue }) => ({ code, count, overdue }));
}
