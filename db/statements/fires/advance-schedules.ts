import { sql } from "drizzle-orm";
import type { Tx } from "../../client";

export interface ScheduleAdvance {
  readonly id: string;
  readonly version: number;
  /** The last fire that has been accounted for. */
  readonly cursorAt: Date;
  readonly nextFireAt: Date | null;
}

/**
 * Moves schedules on, in the transaction of the fires that it accounts for (B17). A cursor never goes back, and a version
 * that an edit has replaced is left alone.
 */
export async function advanceSchedules(tx: Tx, advances: readonly ScheduleAdvance[]): Promise<void> {
  if (advances.length === 0) return;
  const lines = advances.map(({ id, version, cursorAt, nextFireAt }) => ({
    id,
    version,
    cursorAt: cursorAt.toISOString(),
    nextFireAt: nextFireAt?.toISOString() ?? null,
  }));
  await tx.execute(sql`
    update schedules s set cursor_at = greatest(s.cursor_at, n."cursorAt"), next_fire_at = n."nextFireAt"
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as n("id" uuid, "version" integer, "cursorAt" timestamptz, "nextFireAt" timestamptz)
    where s.id = n."id" and s.version = n."version"
  `);
}
