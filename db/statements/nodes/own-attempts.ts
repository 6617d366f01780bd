import { sql } from "drizzle-orm";
import type { Executor } from "../../client";

export interface OwnAttempt {
  readonly runId: string;
  readonly key: string;
  readonly generation: number;
  readonly attemptNo: number;
  readonly executionId: string;
  readonly token: number;
  readonly group: string;
  readonly startedAt: Date;
}

type Row = {
  run_id: string;
  key: string;
  generation: number;
  attempt_no: number;
  execution_id: string;
  token: number;
  worker_group: string;
  started_at: string;
};

/**
 * What the database says that this worker runs. One that it does not know of came by a claim or a hand-on whose answer was
 * lost with the connection, and nobody else would find it while the worker lives. Index: node_runs_worker, which a plan for any
 * state could not use: so the state stands in the text.
 */
export async function ownAttempts(db: Executor, worker: { readonly id: string; readonly bootId: string }): Promise<readonly OwnAttempt[]> {
  const rows = await db.execute<Row>(sql`
    select run_id, key, generation, attempt_no, execution_id, token, worker_group, coalesce(started_at, clock_timestamp()) as started_at
    from node_runs where state = 'RUNNING' and type <> 'wait' and worker_id = ${worker.id} and worker_boot = ${worker.bootId}::uuid
  `);
  return rows.map((row) => ({
    runId: row.run_id,
    key: row.key,
    generation: row.generation,
    attemptNo: row.attempt_no,
    executionId: row.execution_id,
    token: row.token,
    group: row.worker_group,
    startedAt: new Date(row.started_at),
  }));
}
