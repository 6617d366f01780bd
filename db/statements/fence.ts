import { sql } from "drizzle-orm";
import type { Executor, Tx } from "../client";

/**
 * True while the term `epoch` of a lease is the current one and has not run out. The row stays locked FOR KEY SHARE until the commit, so a
 * take-over, which changes the key, waits for us, and nothing of an old term is committed after a new one has begun; a
 * renewal changes no key and does not wait. Served by leases_epoch.
 */
export async function holdFence(tx: Tx, fence: { readonly name: string; readonly epoch: number }): Promise<boolean> {
  const rows = await tx.execute(sql`
    select 1 from leases where name = ${fence.name} and epoch = ${fence.epoch} and expires_at > clock_timestamp() for key share
  `);
  return rows.length === 1;
}

/** Whether the term is the current one, for who writes nothing: no lock, and so no commit that waits for the disk. */
export async function isFenceCurrent(db: Executor, fence: { readonly name: string; readonly epoch: number }): Promise<boolean> {
  const rows = await db.execute(sql`
    select 1 from leases where name = ${fence.name} and epoch = ${fence.epoch} and expires_at > clock_timestamp()
  `);
  return rows.length === 1;
}
