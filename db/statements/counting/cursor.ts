import { eq, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client";
import { countingCursors } from "../../schema/root-causes";

/** How long a writer may hold up the counting; one that hangs longer is passed, and what it commits after is not counted. */
const LONGEST_WAIT_MS = 120_000;
/** A commit's instants are taken shortly before it shows, and by the clock of a connection's transaction at the earliest. */
const SETTLED_MS = 2_000;

/**
 * How long ago all that bears an older instant is visible: rows bear the time of their transaction, and one that began
 * earlier may still commit. So the counting stays behind the oldest transaction that writes.
 */
export async function countingLagMs(db: Executor): Promise<number> {
  const [row] = await db.execute<{ lag: number | null }>(sql`
    select (extract(epoch from clock_timestamp() - min(xact_start)) * 1000)::float8 as lag
    from pg_stat_activity where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()
  `);
  return Math.min(LONGEST_WAIT_MS, SETTLED_MS + Math.max(0, row?.lag ?? 0));
}

/** Up to when is counted; null before the first time. */
export async function readCursor(db: Executor, name: string): Promise<Date | null> {
  const [row] = await db.select({ until: countingCursors.until }).from(countingCursors).where(eq(countingCursors.name, name));
  return row?.until ?? null;
}

/** Moves the cursor on if it still stands where it was read: who counts the same in vain counts nothing. */
export async function moveCursor(tx: Tx, name: string, from: Date | null, to: Date): Promise<boolean> {
  if (from === null) {
    const made = await tx
      .insert(countingCursors)
      .values({ name, until: to })
      .onConflictDoNothing()
      .returning({ name: countingCursors.name });
    return made.length > 0;
  }
  const moved = await tx
    .update(countingCursors)
    .set({ until: to })
    .where(sql`${countingCursors.name} = ${name} and ${countingCursors.until} = ${from.toISOString()}::timestamptz`)
    .returning({ name: countingCursors.name });
  return moved.length > 0;
}
