import { sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client";
import { textArray } from "../array";
import { LIMITS } from "./limits";

/**
 * The slots of all limits, for this transaction alone, for a change of a limit. It waits for every claim and every end of an
 * attempt that is under way, and whoever comes meanwhile sees what is changed: their snapshots are taken after their locks
 * on the table. So none of them counts by an old limit, and an attempt that ends is never given a slot that nobody clears.
 * False where the table was not to be had within the time; nothing is changed then.
 */
export async function lockSlots(tx: Tx, waitMs = 1_000): Promise<boolean> {
  try {
    // A savepoint, so that the caller's transaction outlives the refusal.
    await tx.transaction(async (inner) => {
      await inner.execute(sql.raw(`set local lock_timeout = ${waitMs}`));
      await inner.execute(sql.raw(`set local idle_in_transaction_session_timeout = ${FROZEN_MS}`));
      await inner.execute(sql`lock table slots in access exclusive mode`);
    });
    await tx.execute(sql`set local lock_timeout to default`);
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

const LOCK_NOT_AVAILABLE = "55P03";
/** A process that is frozen under the lock would hold up every claim and every end of an attempt for as long as it is. */
const FROZEN_MS = 2_000;

function isLockTimeout(error: unknown): boolean {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if ("code" in e && e.code === LOCK_NOT_AVAILABLE) return true;
  }
  return false;
}

/**
 * Makes a limit have so many slots. Where more are taken than that, none is left free, and those that are taken are retired:
 * each goes when its attempt ends, and free ones come back (`topUp`) once fewer are taken than the limit. So nothing starts
 * above the limit, whichever attempt ends first. Call it under `lockSlots`. Index: the primary key.
 */
export async function setSlots(tx: Tx, key: string, slots: number): Promise<void> {
  const [row] = await tx.execute<{ taken: number }>(sql`select count(run_id)::integer as taken from slots where key = ${key}`);
  const taken = row?.taken ?? 0;
  await tx.execute(
    sql`update slots set retired = ${taken > slots} where key = ${key} and run_id is not null and retired <> ${taken > slots}`,
  );
  await tx.execute(sql`delete from slots where key = ${key} and run_id is null`);
  if (taken >= slots) return;
  await tx.execute(sql`
    insert into slots (key, no)
    select ${key}, n from generate_series(1, ${slots}::integer) as n
    where not exists (select 1 from slots s where s.key = ${key} and s.no = n) order by n limit ${slots - taken}
  `);
}

/** Slots for what runs in a group that had no limit until now, each taken by its attempt. Index: node_runs_worker. */
export async function seatRunning(tx: Tx, group: string, key: string): Promise<void> {
  await tx.execute(sql`
    insert into slots (key, no, run_id, node_key, token)
    select ${key}, row_number() over (order by started_at, run_id, key), run_id, key, token from node_runs
    where state = 'RUNNING' and worker_id is not null and worker_group = ${group}
  `);
}

/** All slots of a limit that is no more, taken ones too. */
export async function removeSlots(tx: Tx, key: string): Promise<void> {
  await tx.execute(sql`delete from slots where key = ${key}`);
}

export interface SlotUse {
  readonly slots: number;
  readonly taken: number;
  readonly free: number;
}

/** Limits and how much of them is taken; a key without one is left out. More is taken than `slots` after a lowering. Index: the primary key. */
export async function slotUse(db: Executor, keys: readonly string[]): Promise<ReadonlyMap<string, SlotUse>> {
  if (keys.length === 0) return new Map();
  const rows = await db.execute<{ key: string } & SlotUse & Record<string, unknown>>(sql`
    select s.key, l.slots, count(s.run_id)::integer as taken, count(*) filter (where s.run_id is null and not s.retired)::integer as free
    from slots s join ${LIMITS} l on l.key = s.key
    where s.key = any (${textArray(keys)}::text[]) group by s.key, l.slots
  `);
  return new Map(rows.map(({ key, slots, taken, free }) => [key, { slots, taken, free }]));
}
