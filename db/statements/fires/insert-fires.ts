import { sql } from "drizzle-orm";
import type { Tx } from "../../client";

/** One line of the ledger. */
export interface NewFire {
  readonly id: string;
  readonly projectId: string;
  readonly pipelineId: string;
  readonly scheduleId: string;
  readonly scheduleVersion: number;
  readonly fireAt: Date;
  readonly verdict: "ran" | "late" | "caught_up" | "skipped" | "missed";
  readonly reason: string | null;
  readonly lateMs: number;
  readonly runId: string | null;
  /** The leader's epoch; 0 when an edit accounts for what was due under the version before it. */
  readonly epoch: number;
}

/**
 * Writes fires into the ledger and answers with the ids of those that are new. A fire that is there already is a refused
 * duplicate: it counts on its row and must start nothing (SCH-5). Index: fires_once.
 */
export async function insertFires(tx: Tx, fires: readonly NewFire[]): Promise<ReadonlySet<string>> {
  if (fires.length === 0) return new Set();
  const lines = fires.map((fire) => ({ ...fire, fireAt: fire.fireAt.toISOString() }));
  const rows = await tx.execute<{ id: string }>(sql`
    insert into fires as f (id, project_id, pipeline_id, schedule_id, schedule_version, fire_at, verdict, reason, late_ms, run_id, epoch)
    select n."id", n."projectId", n."pipelineId", n."scheduleId", n."scheduleVersion", n."fireAt", n."verdict", n."reason", n."lateMs",
      n."runId", n."epoch"
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as n("id" uuid, "projectId" uuid, "pipelineId" uuid, "scheduleId" uuid,
      "scheduleVersion" integer, "fireAt" timestamptz, "verdict" text, "reason" text, "lateMs" integer, "runId" uuid, "epoch" integer)
    order by n."scheduleId", n."fireAt"
    on conflict (schedule_id, fire_at) do update set duplicates_refused = f.duplicates_refused + 1
    returning f.id
  `);
  const offered = new Set(fires.map((fire) => fire.id));
  return new Set(rows.map((row) => row.id).filter((id) => offered.has(id)));
}
