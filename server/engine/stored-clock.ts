import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { clockOf, databaseInstant, databaseNow } from "@/db/statements/clock";
import type { Ctx } from "./context";

/**
 * Now, wherever an instant is stored that decides something later, or is judged by a stored one: the database's clock, since
 * each process's own may be off by seconds, and what one writes as past would be another's future (B24).
 */
export async function storedNow({ clock }: Pick<Ctx, "clock">, tx: Executor): Promise<Date> {
  return clock.database?.() ?? clockOf(tx);
}

/** The same within a statement. */
export function storedNowSql({ clock }: Pick<Ctx, "clock">): SQL<Date> {
  const fixed = clock.database?.();
  return fixed ? sql<Date>`${fixed.toISOString()}::timestamptz`.mapWith(databaseInstant) : databaseNow;
}
