import { sql } from "drizzle-orm";
import type { Tx } from "../../client";

/**
 * Writes a pause, or its end, on every node of a run that has not ended: a claim tests only columns of the row that it
 * locks, so a pause that stood on the run alone could be passed by a claim that had read it before. What was held gets its
 * total deadline anew. Served by the primary key.
 */
export async function holdNodes(tx: Tx, runId: string, held: boolean): Promise<void> {
  await tx.execute(sql`
    update node_runs set held = ${held},
      deadline_at = case when ${held} or state not in ('QUEUED', 'RETRYING') then deadline_at end
    where run_id = ${runId}::uuid and held <> ${held} and state not in ('SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED')
  `);
}
