import { sql } from "drizzle-orm";
import type { Executor } from "../../client";
import { textArray } from "../array";

export interface Span {
  readonly from: Date;
  readonly to: Date;
}

const at = (date: Date) => sql`${date.toISOString()}::timestamptz`;
/** Of a run that was made longer ago nothing is counted: older months are then passed by. */
const OLDEST_RUN = sql`interval '35 days'`;

/** How many codes one look takes in; above it the rarest are left out. */
const MOST_CODES = 2_000;

export interface CodeOf {
  readonly projectId: string;
  readonly code: string;
}

/** Which codes failed after `from`, until `to`, and how often, the most frequent first. Index: error_events_project_time. */
export async function codesFailed(db: Executor, { from, to }: Span): Promise<readonly (CodeOf & { readonly events: number })[]> {
  const rows = await db.execute<{ project_id: string; code: string; events: number }>(sql`
    select p.id as project_id, e.code, e.events
    from projects p
    cross join lateral (
      select code, count(*)::integer as events from error_events
      where project_id = p.id and at > ${at(from)} and at <= ${at(to)} and run_id >= uuid7_floor(${at(from)} - ${OLDEST_RUN})
      group by code
    ) e
    order by e.events desc, p.id, e.code limit ${MOST_CODES}
  `);
  return rows.map(({ project_id, code, events }) => ({ projectId: project_id, code, events }));
}

/**
 * Of these codes the ones that came more than `events` times within `windowMs`, and the first instant of it. Clock minutes
 * would not see what straddles them. Index: error_events_code.
 */
export async function findBursts(
  db: Executor,
  codes: readonly CodeOf[],
  { from, to, events, windowMs }: Span & { readonly events: number; readonly windowMs: number },
): Promise<readonly (CodeOf & { readonly firstAt: Date })[]> {
  if (codes.length === 0) return [];
  const rows = await db.execute<{ project_id: string; code: string; first_ms: number }>(sql`
    select x.project_id, x.code, b.first_ms
    from unnest(${textArray(codes.map(({ projectId }) => projectId))}::uuid[], ${textArray(codes.map(({ code }) => code))}::text[]) as x (project_id, code)
    cross join lateral (
      select (extract(epoch from min(w.first_at)) * 1000)::float8 as first_ms
      from (
        select e.at, lag(e.at, ${events}::integer) over (order by e.at) as first_at from error_events e
        where e.project_id = x.project_id and e.code = x.code and e.at > ${at(from)} and e.at <= ${at(to)}
          and e.run_id >= uuid7_floor(${at(from)} - ${OLDEST_RUN})
      ) w
      where w.at - w.first_at < make_interval(secs => ${windowMs / 1_000})
    ) b
    where b.first_ms is not null
  `);
  return rows.map(({ project_id, code, first_ms }) => ({ projectId: project_id, code, firstAt: new Date(Math.round(first_ms)) }));
}

export interface TallyAsked extends CodeOf, Span {
  readonly card: string;
}

export interface TallyRow {
  readonly card: string;
  readonly dimension: string;
  /** Null for the rest of the dimension. */
  readonly value: string | null;
  readonly count: number;
}

/** Longer values are cut: a card shows them, it does not search by them. */
const VALUE_CHARS = 160;

/**
 * The failures of each card after its `from`, counted by each of a card's dimensions; of each the `most` frequent values, and
 * the sum of the rest. Every event is read once; the `offset 0` keeps it at a walk through the index for each card. Index: error_events_code, and the keys of run and attempt.
 */
export async function tallyFailures(db: Executor, asked: readonly TallyAsked[], most: number): Promise<readonly TallyRow[]> {
  if (asked.length === 0) return [];
  const spans = asked.map(({ card, projectId, code, from, to }) => ({
    ...{ card, project_id: projectId, code },
    ...{ from_at: from.toISOString(), to_at: to.toISOString() },
  }));
  const rows = await db.execute<TallyRow & Record<string, unknown>>(sql`
    with failed as materialized (
      select x.card, e.stack_hash, e.worker_id, e.node_key, e.pipeline_id, r.version_no, r.created_at, e.at, e.context || r.business_keys as keys,
        substring(a.response ->> 'url' from '^[a-zA-Z]+://(?:[^/?#@]*@)?([^/?#]+)') as host
      from jsonb_to_recordset(${JSON.stringify(spans)}::jsonb) as x (card uuid, project_id uuid, code text, from_at timestamptz, to_at timestamptz)
      cross join lateral (
        select * from error_events e
        where e.project_id = x.project_id and e.code = x.code and e.at > x.from_at and e.at <= x.to_at
          and e.run_id >= uuid7_floor(x.from_at - ${OLDEST_RUN})
        offset 0
      ) e
      join runs r on r.id = e.run_id
      left join attempts a on a.run_id = e.run_id and a.node_key = e.node_key and a.generation = e.generation and a.no = e.attempt_no
    ), seen as (
      select card, d.dimension, d.value from failed
      cross join lateral (values
        ('stack', coalesce(stack_hash, '')), ('worker', coalesce(worker_id, '')), ('node', pipeline_id || '/' || node_key),
        ('version', pipeline_id || '/' || version_no), ('host', host),
        ('minute', to_char(date_trunc('minute', at at time zone 'UTC'), 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')),
        ('created', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'))
      ) as d (dimension, value) where d.value is not null
      union all
      select card, 'key', k.key || '=' || k.value from failed cross join lateral jsonb_each_text(keys) k where k.value is not null
    ), counted as (
      select card, dimension, left(value, ${VALUE_CHARS}) as value, count(*)::integer as count from seen group by 1, 2, 3
    ), ranked as (
      select *, row_number() over (partition by card, dimension order by count desc, value) as place from counted
    )
    select card, dimension, shown as value, sum(count)::integer as count
    from (select card, dimension, count, case when place <= ${most} then value end as shown from ranked) r
    group by card, dimension, shown
  `);
  return [...rows];
}
