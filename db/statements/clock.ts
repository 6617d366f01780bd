import { sql } from "drizzle-orm";
import type { Executor } from "../client";
import { runs } from "../schema/runs";

/** How an instant that no column holds is read. */
export const databaseInstant = runs.createdAt;

/** The database's clock in the milliseconds that are stored; it goes on within a transaction. */
export const databaseNow = sql<Date>`date_trunc('milliseconds', clock_timestamp())`.mapWith(databaseInstant);

export async function clockOf(db: Executor): Promise<Date> {
  const [row] = await db.select({ now: databaseNow }).from(sql`(select 1) as one`);
  if (!row) throw new Error("the database did not tell its time");
  return row.now;
}
