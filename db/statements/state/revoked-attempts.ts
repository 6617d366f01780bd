import { sql } from "drizzle-orm";
import type { Executor } from "../../client";

/** Those of the given attempts whose node runs with another token, at another worker, or not at all. Index: the primary key. */
export async function revokedAmong(
  db: Executor,
  workerId: string,
  held: readonly { readonly runId: string; readonly key: string; readonly token: number }[],
): Promise<ReadonlySet<string>> {
  const asked = held.map(({ runId, key, token }) => ({ run_id: runId, key, token }));
  const rows = await db.execute<{ run_id: string; key: string; token: number }>(sql`
    select x.run_id, x.key, x.token from (
      select * from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as r (run_id uuid, key text, token integer) limit ${asked.length}
    ) x
    left join node_runs n on n.run_id = x.run_id and n.key = x.key
    where n.run_id is null or n.state <> 'RUNNING' or n.token <> x.token or n.worker_id is distinct from ${workerId}
  `);
  return new Set(rows.map((row) => `${row.run_id}/${row.key}/${row.token}`));
}
