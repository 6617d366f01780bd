import { sql } from "drizzle-orm";
import type { Executor } from "../client";
import type { LeaseOwner } from "./lease-acquire";

/** Standbys listen here, so that a planned hand-over does not wait for their next try. */
export const LEASE_CHANNEL = "apollo_lease";

/** Lets the lease run out now and tells the standbys at the commit; false when the term was over already. */
export async function resignLeaseIfHeld(db: Executor, owner: LeaseOwner, epoch: number): Promise<boolean> {
  const rows = await db.execute(sql`
    with resigned as (
      update leases set expires_at = clock_timestamp() - interval '2 milliseconds'
      where name = ${owner.name} and holder = ${owner.holder} and boot_id = ${owner.bootId}::uuid and epoch = ${epoch}
        and expires_at > clock_timestamp()
      returning name
    )
    select pg_notify(${LEASE_CHANNEL}, name) from resigned
  `);
  return rows.length > 0;
}
