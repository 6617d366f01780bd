import { sql } from "drizzle-orm";
import type { Executor } from "../client";

/**
 * Ends the sessions in which a past leader, whose lease has run out, still has a transaction open: its fence would hold up
 * the take-over. The time-outs of a session do not see one that was frozen between the two halves of a statement: for the
 * server it is active, and waits for its client. A plain read of the lease waits for nobody.
 */
export async function endPastLeader(db: Executor, name: string, applicationName: string): Promise<number> {
  const rows = await db.execute(sql`
    select pg_terminate_backend(a.pid) from leases l
    join pg_stat_activity a on a.application_name = ${applicationName} and a.datname = current_database() and a.usename = current_user
    where l.name = ${name} and l.expires_at < clock_timestamp() and a.xact_start < l.expires_at
  `);
  return rows.length;
}
