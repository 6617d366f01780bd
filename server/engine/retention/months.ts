import { sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { type Month, type MonthNoun, monthOf } from "@/server/domain/retention/rule";

export interface Partition {
  readonly table: string;
  readonly name: string;
  readonly bytes: number;
  /** `attached`, or on its way out: `pending` is half detached, `detached` only waits to be dropped. */
  readonly state: "attached" | "pending" | "detached";
}

/** The partitions of some tables, those of a drop that was cut short too. */
export async function partitionsOf(db: Executor, tables: readonly string[]): Promise<Partition[]> {
  const found: Partition[] = [];
  for (const table of tables) {
    const rows = await db.execute<{ name: string; bytes: string; attached: boolean; pending: boolean }>(sql`
      select c.relname as name, pg_total_relation_size(c.oid) as bytes, i.inhrelid is not null as attached, coalesce(i.inhdetachpending, false) as pending
      from pg_class c left join pg_inherits i on i.inhrelid = c.oid
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname ~ ${`^${table}_[0-9]{4}_[0-9]{2}$`}
      order by c.relname
    `);
    for (const { name, bytes, attached, pending } of rows) {
      found.push({ table, name, bytes: Number(bytes), state: pending ? "pending" : attached ? "attached" : "detached" });
    }
  }
  return found;
}

export const ofMonth = (partitions: readonly Partition[], month: Month): Partition[] =>
  partitions.filter(({ name }) => monthOf(name)?.name === month.name);

/** What still needs a month of runs, in words; null where nothing does. Each by an index or over what is few. */
export async function heldBy(db: Executor, noun: MonthNoun, month: Month): Promise<string | null> {
  if (noun === "platform_events") return null;
  const [lo, hi] = [sql`uuid7_floor(${month.from.toISOString()}::timestamptz)`, sql`uuid7_floor(${month.to.toISOString()}::timestamptz)`];
  const within = (column: string) => sql`${sql.raw(column)} >= ${lo} and ${sql.raw(column)} < ${hi}`;
  const [row] = await db.execute<{ why: string | null }>(sql`
    select case
      when exists (select from runs r where ${within("r.id")} and r.state in ('PENDING','RUNNING','PAUSED')) then 'live run'
      when exists (select from node_runs n where ${within("n.run_id")} and n.state in ('MANUAL_REVIEW','RUNNING','RETRYING','QUEUED','AWAITING_APPROVAL')
        ) then 'node under way'
      when exists (select from runs r where r.state in ('PENDING','RUNNING','PAUSED') and ${within("r.rerun_of")}) then 'live rerun'
      when exists (select from slots s where s.run_id is not null and ${within("s.run_id")}) then 'taken slot'
      when exists (select from dead_letters d where d.closed_at is null and ${within("d.run_id")}) then 'open dead letter'
      when exists (select from alerts a where a.resolved_at is null and ${within("a.run_id")}) then 'open alert'
      when exists (select from incidents i join incident_alerts l on l.incident_id = i.id join alert_receipts p on p.alert_id = l.alert_id
        where i.state <> 'closed' and ${within("p.run_id")}) then 'open incident'
      when exists (select from run_requests q where ${within("q.run_id")}) then 'idempotency key'
    end as why
  `);
  return row?.why ?? null;
}
