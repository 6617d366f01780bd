import { sql } from "drizzle-orm";
import type { Tx } from "../../client";

/**
 * Takes schedules that are due, the longest due first, and answers with their ids. A row that an edit holds is passed by,
 * so that two verbs never wait for each other; the share of the pipeline keeps a delete or disable from committing before
 * the runs that are being made. Index: schedules_next.
 */
export async function lockDueSchedules(tx: Tx, now: Date, limit: number): Promise<string[]> {
  const rows = await tx.execute<{ id: string }>(sql`
    select s.id from schedules s join pipelines p on p.id = s.pipeline_id
    where s.enabled and s.removed_at is null and s.health = 'OK' and s.next_fire_at <= ${now.toISOString()}::timestamptz
      and p.enabled and p.deleted_at is null and p.archived_at is null and p.live_version_id is not null
    order by s.next_fire_at
    limit ${limit}
    for no key update of s skip locked
    for share of p skip locked
  `);
  return rows.map((row) => row.id);
}

/** Whether anything is due at all, held by another transaction or not. */
export async function hasDueSchedule(tx: Tx, now: Date): Promise<boolean> {
  const rows = await tx.execute(sql`
    select 1 from schedules s join pipelines p on p.id = s.pipeline_id
    where s.enabled and s.removed_at is null and s.health = 'OK' and s.next_fire_at <= ${now.toISOString()}::timestamptz
      and p.enabled and p.deleted_at is null and p.archived_at is null and p.live_version_id is not null
    limit 1
  `);
  return rows.length > 0;
}
