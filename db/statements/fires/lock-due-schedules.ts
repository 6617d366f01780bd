import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "../../client";

export interface DueSelection {
  readonly now: Date;
  readonly limit: number;
  /** These alone; null: all. */
  readonly only: readonly string[] | null;
  readonly except: readonly string[];
}

/** What is due and may fire. Index: schedules_next. */
function isDue({ now, only, except }: DueSelection): SQL {
  const idsOf = (ids: readonly string[]) => sql`(select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)::uuid)`;
  return sql`s.enabled and s.removed_at is null and s.health = 'OK' and s.next_fire_at <= ${now.toISOString()}::timestamptz
      and p.enabled and p.deleted_at is null and p.archived_at is null and p.live_version_id is not null
      ${only === null ? sql`` : sql`and s.id in ${idsOf(only)}`} ${except.length === 0 ? sql`` : sql`and s.id not in ${idsOf(except)}`}`;
}

/**
 * Takes schedules that are due, the longest due first, and answers with their ids. A row that an edit holds is passed by,
 * so that two verbs never wait for each other; the share of the pipeline keeps a delete or disable from committing before
 * the runs that are being made.
 */
export async function lockDueSchedules(tx: Tx, selection: DueSelection): Promise<string[]> {
  const rows = await tx.execute<{ id: string }>(sql`
    select s.id from schedules s join pipelines p on p.id = s.pipeline_id
    where ${isDue(selection)}
    order by s.next_fire_at
    limit ${selection.limit}
    for no key update of s skip locked
    for share of p skip locked
  `);
  return rows.map((row) => row.id);
}

/** Whether anything is due at all, held by another transaction or not. */
export async function hasDueSchedule(tx: Tx, selection: DueSelection): Promise<boolean> {
  const rows = await tx.execute(sql`
    select 1 from schedules s join pipelines p on p.id = s.pipeline_id where ${isDue(selection)} limit 1
  `);
  return rows.length > 0;
}
