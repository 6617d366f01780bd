import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../client";
import { textArray } from "../array";

export interface FailuresWanted {
  readonly workerId: string;
  /** Failures in a row are looked for after this … */
  readonly rowSince: Date;
  /** … and kills for memory after this. */
  readonly killsSince: Date;
}

export interface FailureRow {
  readonly worker_id: string;
  readonly id: string;
  readonly project_id: string;
  readonly run_id: string;
  readonly node_key: string;
  readonly code: string;
  readonly at: Date;
}

/** Among how many of a worker's newest failures its kills for memory are looked for. */
const MOST_LOOKED_AT = 2_000;

/**
 * Of each worker its newest failures, and its kills for memory, oldest first. Both walk the index backwards from `until` and
 * stop by themselves, however much has failed. Index: error_events_worker.
 */
export async function failuresOfWorkers(
  db: Executor,
  wanted: readonly FailuresWanted[],
  { until, newest: most }: { readonly until: Date; readonly newest: number },
): Promise<FailureRow[]> {
  if (wanted.length === 0) return [];
  const asked = wanted.map(({ workerId, rowSince, killsSince }) => ({
    ...{ worker_id: workerId, row_since: rowSince.toISOString(), kills_since: killsSince.toISOString() },
  }));
  const newestSince = (since: SQL, limit: number) => sql`
    select e.id, e.project_id, e.run_id, e.node_key, e.code, e.at from error_events e
    where e.worker_id = x.worker_id and e.at > ${since} and e.at <= ${until.toISOString()}::timestamptz order by e.at desc limit ${limit}`;
  const rows = await db.execute<FailureRow & { readonly [column: string]: unknown; readonly at_ms: number }>(sql`
    select x.worker_id, f.id, f.project_id, f.run_id, f.node_key, f.code, (extract(epoch from f.at) * 1000)::float8 as at_ms
    from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as x (worker_id text, row_since timestamptz, kills_since timestamptz)
    cross join lateral (
      (${newestSince(sql`x.row_since`, most)})
      union
      (select * from (${newestSince(sql`x.kills_since`, MOST_LOOKED_AT)}) k where k.code ~ '._OOM_.')
    ) f
    order by x.worker_id, f.at, f.id
  `);
  return rows.map(({ at_ms, ...row }) => ({ ...row, at: new Date(Math.round(at_ms)) }));
}

/** A success of a run that was made earlier than this is not looked for: older months are then passed by. */
export const OLDEST_RUN_MS = 35 * 86_400_000;

/** The lowest id of a run that was made at an instant; the months before it are passed by. */
export const firstIdAt = (ms: number): string => {
  const hex = Math.max(0, ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};

/**
 * When each of these workers last succeeded within a span of time, whatever the node. It reads what ended in that span on
 * any worker, so the caller keeps it short. Index: attempts_ended, and the partition by the run.
 */
export async function lastSuccesses(
  db: Executor,
  workerIds: readonly string[],
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<ReadonlyMap<string, Date>> {
  if (workerIds.length === 0) return new Map();
  const rows = await db.execute<{ worker_id: string; at_ms: number }>(sql`
    select worker_id, (extract(epoch from max(committed_at)) * 1000)::float8 as at_ms from attempts
    where committed_at > ${from.toISOString()}::timestamptz and committed_at <= ${to.toISOString()}::timestamptz
      and run_id >= ${firstIdAt(from.getTime() - OLDEST_RUN_MS)}::uuid
      and outcome = 'succeeded' and worker_id = any (${textArray(workerIds)}::text[])
    group by worker_id
  `);
  return new Map(rows.map(({ worker_id, at_ms }) => [worker_id, new Date(Math.round(at_ms))]));
}

/** Of each worker so many of its newest failures say with what it fails now. */
const NEWEST_OF_EACH = 50;

/** How often these workers failed lately, by code: of each its newest alone, however many there are. Index: error_events_worker. */
export async function newestCodes(
  db: Executor,
  workerIds: readonly string[],
  since: Date,
): Promise<readonly { readonly worker: string; readonly code: string; readonly count: number }[]> {
  if (workerIds.length === 0) return [];
  return db.execute<{ worker: string; code: string; count: number }>(sql`
    select x.worker, f.code, count(*)::integer as count from unnest(${textArray(workerIds)}::text[]) as x (worker)
    cross join lateral (
      select e.code from error_events e where e.worker_id = x.worker and e.at > ${since.toISOString()}::timestamptz
      order by e.at desc limit ${NEWEST_OF_EACH}
    ) f group by x.worker, f.code
  `);
}
