import { sql } from "drizzle-orm";
import type { Executor } from "../client";
import { runs } from "../schema/runs";
import { prepared } from "./prepared";

/** How an instant that no column holds is read. */
export const databaseInstant = runs.createdAt;

/** The database's clock in the milliseconds that are stored; it goes on within a transaction. */
export const databaseNow = sql<Date>`date_trunc('milliseconds', clock_timestamp())`.mapWith(databaseInstant);

const now = prepared<{ ms: number }, Record<never, never>>(
  () => sql`select (extract(epoch from date_trunc('milliseconds', clock_timestamp())) * 1000)::float8 as ms`,
);

export async function clockOf(db: Executor): Promise<Date> {
  const [row] = await now(db, {});
  if (!row) throw new Error("the database did not tell its time");
  return new Date(Math.round(row.ms));
}
