import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";

/**
 * Says that what an alert of this code tells of a task is over, where no run shows it; the alert resolves at the leader's next
 * look. Index: alerts_open_key, alert_receipts_open.
 */
export async function recoverTask(tx: Tx, { projectId, code, task, now }: Recovered): Promise<void> {
  await tx.execute(sql`
    update alert_receipts set recovered_at = ${now.toISOString()}::timestamptz
    where task = ${task} and recovered_at is null and alert_id in (
      select id from alerts where project_id = ${projectId}::uuid and resolved_at is null and code = ${code}
    )
  `);
}

interface Recovered {
  readonly projectId: string;
  readonly code: string;
  readonly task: string;
  readonly now: Date;
}
