import { sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client";
import { textArray } from "../array";

/**
 * Locks the turns of limited pipelines until the commit, in order. A count under no lock lets two through, since the
 * snapshot of each is older than the other's commit. It is a lock of its own and not the pipeline's row, so that
 * publishing never waits for a run.
 */
export async function lockTurns(tx: Tx, pipelineIds: readonly string[]): Promise<void> {
  for (const id of [...new Set(pipelineIds)].sort()) {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`apollo11.turns:${id}`}, 0))`);
  }
}

/**
 * Whether a pipeline starts runs; its row stays locked FOR SHARE until the commit, so that a delete, archive or disable comes
 * wholly before or wholly after. Take it before the turns: a delete holds the row when it asks for them.
 */
export async function holdStartable(tx: Tx, pipelineId: string): Promise<"startable" | "disabled" | "archived" | "deleted"> {
  const rows = await tx.execute<{ enabled: boolean; archived: boolean; deleted: boolean }>(sql`
    select enabled, archived_at is not null as archived, deleted_at is not null as deleted
    from pipelines where id = ${pipelineId}::uuid for share
  `);
  const [row] = rows;
  if (!row || row.deleted) return "deleted";
  if (row.archived) return "archived";
  return row.enabled ? "startable" : "disabled";
}

/** Runs of a pipeline that have not had their turn, paused ones among them. Index: runs_live. */
export async function neverStarted(db: Executor, pipelineId: string): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select id from runs where pipeline_id = ${pipelineId}::uuid and state in ('PENDING', 'RUNNING', 'PAUSED') and started_at is null
    order by id
  `);
  return rows.map(({ id }) => id);
}

/** Runs of a pipeline that have had their turn and not ended. Index: runs_live. */
export async function activeRunCount(db: Executor, pipelineId: string): Promise<number> {
  const rows = await db.execute<{ active: number }>(sql`
    select count(*)::integer as active from runs
    where pipeline_id = ${pipelineId}::uuid and state in ('PENDING', 'RUNNING', 'PAUSED') and started_at is not null
  `);
  return rows[0]?.active ?? 0;
}

/** Runs of a pipeline that have not ended, whatever they wait for. Index: runs_live. */
export async function liveRunCount(db: Executor, pipelineId: string): Promise<number> {
  const rows = await db.execute<{ live: number }>(sql`
    select count(*)::integer as live from runs where pipeline_id = ${pipelineId}::uuid and state in ('PENDING', 'RUNNING', 'PAUSED')
  `);
  return rows[0]?.live ?? 0;
}

/** Whether a run of a schedule is alive that was made before `id`. Index: runs_live_schedule. */
export async function hasEarlierRun(db: Executor, scheduleId: string, id: string): Promise<boolean> {
  const rows = await db.execute(sql`
    select 1 from runs
    where schedule_id = ${scheduleId}::uuid and id < ${id}::uuid and state in ('PENDING', 'RUNNING', 'PAUSED') limit 1
  `);
  return rows.length > 0;
}

export interface WaitingRun {
  readonly id: string;
  readonly versionId: string;
  readonly scheduleId: string | null;
  readonly afterEarlier: boolean;
}

export interface WaitingPage {
  /** The id of the last run that was looked at. */
  readonly after: string | null;
  /** Schedules of which an earlier run is alive: what queues behind one of them is passed by. */
  readonly behind: readonly string[];
  readonly limit: number;
}

/** Runs that wait for their turn, the oldest first, with how many of the pipeline have had theirs. Index: runs_waiting, runs_live. */
export async function waitingRuns(
  db: Executor,
  pipelineId: string,
  { after, behind, limit }: WaitingPage,
): Promise<{ waiting: WaitingRun[]; active: number }> {
  const rows = await db.execute<{ id: string; version_id: string; schedule_id: string | null; after_earlier: boolean; active: number }>(sql`
    select id, version_id, schedule_id, after_earlier,
      (select count(*)::integer from runs where pipeline_id = ${pipelineId}::uuid and state in ('PENDING', 'RUNNING', 'PAUSED')
        and started_at is not null) as active
    from runs where pipeline_id = ${pipelineId}::uuid and state = 'PENDING' and id > ${after ?? NIL}::uuid
      and not (after_earlier and schedule_id is not null and schedule_id = any (${textArray(behind)}::uuid[]))
    order by id limit ${limit}
  `);
  const waiting = rows.map((row) => ({
    id: row.id,
    versionId: row.version_id,
    scheduleId: row.schedule_id,
    afterEarlier: row.after_earlier,
  }));
  return { waiting, active: rows[0]?.active ?? 0 };
}

const NIL = "00000000-0000-0000-0000-000000000000";

/** Pipelines with runs that wait for their turn and may have it, in the order of their ids. Index: runs_waiting. */
export async function pipelinesWithWaitingRuns(
  db: Executor,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<string[]> {
  const rows = await db.execute<{ pipeline_id: string }>(sql`
    select distinct r.pipeline_id from runs r
    join pipelines p on p.id = r.pipeline_id and p.enabled and p.archived_at is null and p.deleted_at is null
    where r.state = 'PENDING' and r.pipeline_id > ${after ?? NIL}::uuid order by r.pipeline_id limit ${limit}
  `);
  return rows.map((row) => row.pipeline_id);
}
