import { type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "@/db/client";
import { alertInbox } from "@/db/schema/alerts";
import { textArray } from "@/db/statements/array";

export interface InboxEntry {
  readonly runId: string;
  readonly eventId: number;
}

interface Waiting extends InboxEntry {
  /** Null where the run is gone. */
  readonly projectId: string | null;
}

/** What is to be decided on, the oldest first, as it is read without a lock. Index: alert_inbox_waiting. */
export const inboxWaiting = (limit: number, now: Date): SQL => sql`
  select i.run_id, i.event_id, r.project_id
  from (
    select run_id, event_id from alert_inbox
    where set_aside_at is null and (next_at is null or next_at <= ${now.toISOString()}::timestamptz) order by event_id limit ${limit}
  ) i left join runs r on r.id = i.run_id
`;

export async function lookInbox(db: Executor, limit: number, now: Date): Promise<Waiting[]> {
  const rows = await db.execute<{ run_id: string; event_id: string | number; project_id: string | null }>(inboxWaiting(limit, now));
  return rows.map((row) => ({ runId: row.run_id, eventId: Number(row.event_id), projectId: row.project_id }));
}

/** Those entries that are still there. As two arrays: one text, and so one plan, however many there are. */
const those = (entries: readonly InboxEntry[]) => {
  const runIds = textArray(entries.map(({ runId }) => runId));
  const eventIds = textArray(entries.map(({ eventId }) => String(eventId)));
  return sql`(${alertInbox.runId}, ${alertInbox.eventId}) in (select * from unnest(${runIds}::uuid[], ${eventIds}::bigint[]))`;
};

/** Takes entries out of the inbox; a rollback puts them back. */
export const takeInbox = (tx: Tx, entries: readonly InboxEntry[]): Promise<InboxEntry[]> =>
  tx.delete(alertInbox).where(those(entries)).returning({ runId: alertInbox.runId, eventId: alertInbox.eventId });

/** An entry that could not be decided on so often is set aside. */
export const MOST_TRIES = 5;
const FIRST_PAUSE_S = 2;
const ERROR_CHARS = 500;

/** Puts off what could not be decided on, a little longer each time, and sets aside what has failed too often. */
export async function putOff(tx: Tx, entries: readonly InboxEntry[], error: string, now: Date): Promise<InboxEntry[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const rows = await tx
    .update(alertInbox)
    .set({
      tries: sql`${alertInbox.tries} + 1`,
      error: error.slice(0, ERROR_CHARS),
      nextAt: sql`${at} + make_interval(secs => ${FIRST_PAUSE_S} * power(3, ${alertInbox.tries}))`,
      setAsideAt: sql`case when ${alertInbox.tries} + 1 >= ${MOST_TRIES} then ${at} end`,
    })
    .where(those(entries))
    .returning();
  return rows.flatMap(({ runId, eventId, setAsideAt }) => (setAsideAt ? [{ runId, eventId }] : []));
}
