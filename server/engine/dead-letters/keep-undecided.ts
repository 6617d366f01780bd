import { sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import type { HeldAttempt } from "@/server/engine/runs/lost-attempts";

/** Of a node that is due, or that has ended at its worker, and with which the engine cannot go on. */
export const UNDECIDABLE = "APOLLO_NODE_UNDECIDABLE_500";

/**
 * Keeps a letter of an attempt with which the engine cannot go on: one for each that is stuck; one that was released and is
 * stuck again is opened anew. None of a node that has moved on meanwhile.
 */
export async function keepUndecided(db: Executor, { runId, key, token }: HeldAttempt, why: string, message: string): Promise<void> {
  await db.execute(sql`
    insert into dead_letters (id, project_id, pipeline_id, run_id, node_key, generation, attempt_no, cause, why, node_state, code, message)
    select dead_letter_id(n.run_id, n.key, n.generation, 'undecidable', n.attempt_no), r.project_id, r.pipeline_id, n.run_id,
      n.key, n.generation, n.attempt_no, 'undecidable', ${why}::text, n.state, ${UNDECIDABLE}, ${message}
    from node_runs n join runs r on r.id = n.run_id
    where n.run_id = ${runId}::uuid and n.key = ${key} and n.token = ${token}::integer
      and n.state not in ('SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED')
    on conflict (id) do update set
      closed_at = null, closed_as = null, closed_by = null, closed_reason = null, node_state = excluded.node_state,
      why = excluded.why, message = excluded.message, at = excluded.at
    where dead_letters.closed_at is not null
  `);
}
