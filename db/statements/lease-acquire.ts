import { sql } from "drizzle-orm";
import type { Executor } from "../client";

export interface LeaseOwner {
  readonly name: string;
  readonly holder: string;
  readonly bootId: string;
}

export interface LeaseGrant {
  readonly epoch: number;
  /** Milliseconds of the database's clock when it answered. */
  readonly databaseMs: number;
}

/**
 * Takes the lease with a new epoch where it is free or has run out, on the database's clock; null while another holds it.
 *
 * On an empty table the insert lets one of several takers through (`do nothing` without a target, since two unique keys
 * could be hit); later the update does, as each taker judges the row again after the one before it. A living lease is
 * never locked: an upsert would lock its row with each try of a standby, and hold up every fence of its leader.
 */
export async function acquireLeaseIfFree(db: Executor, owner: LeaseOwner, ttlMs: number): Promise<LeaseGrant | null> {
  const expiresAt = sql`clock_timestamp() + ${ttlMs}::integer * interval '1 millisecond'`;
  const rows = await db.execute<{ epoch: number; database_ms: number }>(sql`
    with taken as (
      update leases set holder = ${owner.holder}, boot_id = ${owner.bootId}::uuid, epoch = epoch + 1, report = '{}'::jsonb,
        expires_at = ${expiresAt}, acquired_at = clock_timestamp()
      where name = ${owner.name} and expires_at < clock_timestamp()
      returning epoch
    ), born as (
      insert into leases (name, holder, boot_id, epoch, expires_at)
      select ${owner.name}, ${owner.holder}, ${owner.bootId}::uuid, 1, ${expiresAt}
      where not exists (select from leases where name = ${owner.name})
      on conflict do nothing
      returning epoch
    )
    select epoch, floor(extract(epoch from clock_timestamp()) * 1000)::float8 as database_ms
    from (select epoch from taken union all select epoch from born) as mine
  `);
  const row = rows[0];
  return row ? { epoch: row.epoch, databaseMs: row.database_ms } : null;
}
