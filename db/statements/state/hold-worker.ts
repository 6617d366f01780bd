import { sql } from "drizzle-orm";
import type { Tx } from "../../client";

/**
 * A worker's lease row FOR KEY SHARE, if it is still this very worker's and has not run out: a new registration of the name,
 * which changes the key, waits for our commit, and a renewal does not. Index: workers_lease.
 */
export async function holdWorker(
  tx: Tx,
  worker: { readonly id: string; readonly bootId: string; readonly epoch: number },
): Promise<{ readonly fingerprint: unknown } | null> {
  const rows = await tx.execute<{ fingerprint: unknown }>(sql`
    select fingerprint from workers
    where id = ${worker.id} and boot_id = ${worker.bootId}::uuid and epoch = ${worker.epoch} and expires_at > clock_timestamp()
    for key share
  `);
  return rows[0] ?? null;
}
