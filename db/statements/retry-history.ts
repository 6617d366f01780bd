import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../client";
import { recentRunsOnly } from "./recent-runs";

export interface RetryHistoryRow {
  readonly pipelineId: string;
  readonly nodeKey: string;
  readonly code: string;
  readonly retryNo: number;
  readonly span: number;
  readonly tried: number;
  readonly helped: number;
  readonly medianMs: number;
}

/** The newest failures that history is taken from. */
const MOST_EVENTS = 5_000;
/** Of a node, in its pipeline's newest runs. */
const MOST_RUNS = 1_000;
const DAYS = 90;

export type HistoryOf =
  | { readonly projectId: string; readonly code: string }
  | { readonly projectId: string; readonly pipelineId: string; readonly nodeKey: string };

/**
 * What became of the retries after failures, by node, code, retry and span of delay. A retry is the next attempt of its
 * generation; of a run that a person cancelled nothing is taken, nor of one that runs still or was handed back. Index:
 * error_events_code or runs_pipeline and error_events_task; the attempts' primary key.
 */
export async function retryHistory(db: Executor, of: HistoryOf, spansMs: readonly number[]): Promise<readonly RetryHistoryRow[]> {
  const span = sql.join(
    spansMs.slice(1).map((minMs) => sql`(t.delay_ms >= ${minMs}::float8)::integer`),
    sql` + `,
  );
  const rows = await db.execute<{
    pipeline_id: string;
    node_key: string;
    code: string;
    no: number;
    span: number;
    tried: number;
    helped: number;
    median_ms: number;
  }>(sql`
    with failed as materialized (${eventsOf(of)}), tried as (
      select e.pipeline_id, e.node_key, e.code, e.attempt_no as no, a.outcome = 'succeeded' as helped,
        greatest(0, extract(epoch from a.dispatched_at - e.at) * 1000)::float8 as delay_ms
      from failed e
      join runs r on r.id = e.run_id
      join attempts a on a.run_id = e.run_id and a.node_key = e.node_key and a.generation = e.generation and a.no = e.attempt_no + 1
      where r.cancel_requested_at is null and r.state <> 'CANCELED' and a.outcome in ('succeeded', 'failed', 'timed_out', 'lost')
    )
    select t.pipeline_id, t.node_key, t.code, t.no, ${span} as span, count(*)::integer as tried,
      (count(*) filter (where t.helped))::integer as helped, percentile_disc(0.5) within group (order by t.delay_ms) as median_ms
    from tried t group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  `);
  return rows.map(({ pipeline_id, node_key, no, median_ms, ...row }) => ({
    ...row,
    ...{ pipelineId: pipeline_id, nodeKey: node_key, retryNo: no, medianMs: median_ms },
  }));
}

const COLUMNS = sql`e.run_id, e.pipeline_id, e.node_key, e.generation, e.attempt_no, e.code, e.at`;

function eventsOf(of: HistoryOf): SQL {
  if ("code" in of) {
    return sql`
      select ${COLUMNS} from error_events e
      where e.project_id = ${of.projectId}::uuid and e.code = ${of.code} and e.at > now() - make_interval(days => ${DAYS})
        and ${recentRunsOnly(sql`e.run_id`, DAYS)}
      order by e.at desc limit ${MOST_EVENTS}`;
  }
  return sql`
    select ${COLUMNS}
    from (select id from runs where pipeline_id = ${of.pipelineId}::uuid order by id desc limit ${MOST_RUNS}) r
    cross join lateral (
      select * from error_events x where x.run_id = r.id and x.node_key = ${of.nodeKey} offset 0
    ) e
    where e.project_id = ${of.projectId}::uuid limit ${MOST_EVENTS}`;
}
