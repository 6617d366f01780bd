import { sql } from "drizzle-orm";
import type { Tx } from "../../client";
import { prepared } from "../prepared";

type Lease = { readonly id: string; readonly bootId: string; readonly epoch: number };

/**
 * A worker's lease row FOR KEY SHARE, if it is still this very worker's, has not run out, and no breaker keeps it from work: a new registration of the name,
 * which changes the key, waits for our commit, and a renewal does not. Index: workers_lease.
 */
const hold = prepared<{ fingerprint: unknown }, Lease>(
  (value) => sql`
    select fingerprint from workers
    where id = ${value("id")} and boot_id = ${value("bootId")}::uuid and epoch = ${value("epoch")}::integer and expires_at > clock_timestamp()
      and not tripped
    for key share
  `,
);

export async function holdWorker(tx: Tx, { id, bootId, epoch }: Lease): Promise<{ readonly fingerprint: unknown } | null> {
  const [row] = await hold(tx, { id, bootId, epoch });
  return row ?? null;
}
