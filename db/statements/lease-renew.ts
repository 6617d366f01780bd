import { sql } from "drizzle-orm";
import type { Executor } from "../client";
import type { LeaseOwner } from "./lease-acquire";

/**
 * Extends the lease of the very term that asks, only while it has not run out; null means that the term is over. It
 * changes no key column, so it never waits for a fence (FOR KEY SHARE). Answers with the database's clock.
 */
export async function renewLeaseIfHeld(
  db: Executor,
  owner: LeaseOwner,
  epoch: number,
  ttlMs: number,
  report: Readonly<Record<string, unknown>>,
): Promise<{ databaseMs: number } | null> {
  const rows = await db.execute<{ database_ms: number }>(sql`
    update leases set expires_at = clock_timestamp() + ${ttlMs}::integer * interval '1 millisecond', report = ${JSON.stringify(report)}::jsonb
    where name = ${owner.name} and holder = ${owner.holder} and boot_id = ${owner.bootId}::uuid and epoch = ${epoch}
      and expires_at > clock_timestamp()
    returning floor(extract(epoch from clock_timestamp()) * 1000)::float8 as database_ms
  `);
  const row = rows[0];
  return row ? { databaseMs: row.database_ms } : null;
}
