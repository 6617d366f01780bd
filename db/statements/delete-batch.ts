import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "../client";

/** Deletes some rows of a table, called `t` in the condition, and says how many; what somebody holds is left for the next time. */
export async function deleteBatch(tx: Tx, table: string, expired: SQL, limit: number): Promise<number> {
  const name = sql.identifier(table);
  const rows = await tx.execute(sql`
    delete from ${name} where ctid = any(array(select t.ctid from ${name} t where ${expired} limit ${limit} for update skip locked)) returning 1
  `);
  return rows.length;
}
