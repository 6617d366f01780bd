import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../client";

/** A node that is past its own deadline, as a sweeper found it; whether it still is so is decided under the run's lock. */
export interface Found {
  readonly runId: string;
  readonly key: string;
  readonly token: number;
}

export interface FoundLost extends Found {
  readonly workerId: string;
  /** The name is alive again as another process. */
  readonly restarted: boolean;
  /** Attempts of this generation that were lost before, or took along what ran them. */
  readonly deaths: number;
}

type Row = { run_id: string; key: string; token: number };
const found = (row: Row): Found => ({ runId: row.run_id, key: row.key, token: row.token });

/**
 * Nodes whose worker has let its lease run out, or is another process under the same name (B48). Index: node_runs_worker,
 * which holds the running nodes alone.
 */
export async function findLost(db: Executor, limit: number): Promise<FoundLost[]> {
  const rows = await db.execute<Row & { worker_id: string; restarted: boolean; deaths: number }>(sql`
    select n.run_id, n.key, n.token, n.worker_id, coalesce(w.boot_id <> n.worker_boot and w.expires_at > clock_timestamp(), false) as restarted,
      (${deathsOf(sql`n.run_id`, sql`n.key`, sql`n.generation`)}) as deaths
    from node_runs n left join workers w on w.id = n.worker_id
    where n.state = 'RUNNING' and n.worker_id is not null
      and (w.id is null or w.boot_id is distinct from n.worker_boot or w.expires_at <= clock_timestamp())
    limit ${limit}
  `);
  return rows.map((row) => ({ ...found(row), workerId: row.worker_id, restarted: row.restarted, deaths: row.deaths }));
}

/** How many attempts of a node's generation have died or were lost. Index: the primary key of run_events; one run's are few. */
const deathsOf = (runId: SQL, key: SQL, generation: SQL): SQL => sql`
  select count(*)::integer as deaths from run_events d
  where d.run_id = ${runId} and d.node_key = ${key} and d.generation = ${generation} and d.event in ('attemptDied', 'workerLost')`;

/** The same for one node, as its worker asks when an attempt has just died. */
export async function countDeaths(
  db: Executor,
  node: { readonly runId: string; readonly key: string; readonly generation: number },
): Promise<number> {
  const rows = await db.execute<{ deaths: number }>(deathsOf(sql`${node.runId}::uuid`, sql`${node.key}`, sql`${node.generation}::integer`));
  return rows[0]?.deaths ?? 0;
}

/** Index: node_runs_due. */
export async function findDueRetries(db: Executor, limit: number): Promise<Found[]> {
  const rows = await db.execute<Row>(sql`
    select run_id, key, token from node_runs
    where state = 'RETRYING' and due_at is not null and due_at <= clock_timestamp() order by due_at limit ${limit}
  `);
  return rows.map(found);
}

/**
 * Nodes that wait for a retry which should have come `stillMs` ago, or for which no time is set, and of which nothing has been
 * heard for as long. Index: node_runs_due, node_runs_unset_retry; one run's events are few.
 */
export async function findStuckRetries(db: Executor, stillMs: number, limit: number): Promise<Found[]> {
  const still = sql`clock_timestamp() - ${stillMs} * interval '1 millisecond'`;
  const rows = await db.execute<Row>(sql`
    select run_id, key, token from (
      (select run_id, key, token from node_runs where state = 'RETRYING' and due_at is null limit ${limit})
      union all
      (select run_id, key, token from node_runs where state = 'RETRYING' and due_at is not null and due_at < ${still} order by due_at limit ${limit})
    ) as waiting
    where not exists (select from run_events e where e.run_id = waiting.run_id and e.node_key = waiting.key and e.at > ${still})
    limit ${limit}
  `);
  return rows.map(found);
}

/** Waits whose end has come; only they run with a due time. Index: node_runs_due. */
export async function findElapsedWaits(db: Executor, limit: number): Promise<Found[]> {
  const rows = await db.execute<Row>(sql`
    select run_id, key, token from node_runs
    where state = 'RUNNING' and due_at is not null and due_at <= clock_timestamp() order by due_at limit ${limit}
  `);
  return rows.map(found);
}

/** Attempts past their time whose worker has not ended them in `graceMs`. Index: node_runs_timeout. */
export async function findOverdueAttempts(db: Executor, graceMs: number, limit: number): Promise<Found[]> {
  const rows = await db.execute<Row>(sql`
    select run_id, key, token from node_runs
    where state = 'RUNNING' and timeout_at < clock_timestamp() - ${graceMs} * interval '1 millisecond' order by timeout_at limit ${limit}
  `);
  return rows.map(found);
}

/**
 * Nodes past their total deadline. A running one gets the grace in which its worker ends it; one that a pause or a
 * stop valve holds is left alone. Index: node_runs_deadline.
 */
export async function findOverdueDeadlines(db: Executor, graceMs: number, limit: number): Promise<Found[]> {
  const rows = await db.execute<Row>(sql`
    select run_id, key, token from node_runs
    where state in ('QUEUED', 'RUNNING', 'RETRYING') and deadline_at < clock_timestamp()
      and ((state = 'RUNNING' and deadline_at < clock_timestamp() - ${graceMs} * interval '1 millisecond') or (state <> 'RUNNING' and not held and not pool_key ^@ 'valve:'))
    order by deadline_at limit ${limit}
  `);
  return rows.map(found);
}

/**
 * Groups that some worker serves and in which a node that could start has waited for longer than `ageMs`: its ring was lost,
 * or every worker was busy. What waits for a slot is not forgotten. One probe a group and pool. Index: node_runs_ready.
 */
export async function findForgottenGroups(db: Executor, ageMs: number): Promise<string[]> {
  const rows = await db.execute<{ name: string }>(sql`
    with recursive lane (name, pool_key) as (
      select g.name, '' from (select distinct unnest(groups) as name from workers where expires_at > clock_timestamp()) g
      where not (select exists (select from slots s where s.key = 'group:' || g.name))
        or (select exists (select from slots s where s.key = 'group:' || g.name and s.run_id is null and not s.retired))
      union all
      select l.name, (
        select n.pool_key from node_runs n
        where n.state = 'QUEUED' and not n.held and n.worker_group = l.name and n.pool_key > l.pool_key order by n.pool_key limit 1
      )
      from lane l where l.pool_key is not null
    )
    select distinct l.name from lane l cross join lateral (
      select queued_at from node_runs n
      where n.state = 'QUEUED' and not n.held and n.worker_group = l.name and n.pool_key = l.pool_key order by rank limit 1
    ) first
    where first.queued_at < clock_timestamp() - ${ageMs} * interval '1 millisecond'
      and (l.pool_key = '' or exists (select from slots s where s.key = l.pool_key and s.run_id is null and not s.retired))
    order by l.name
  `);
  return rows.map((row) => row.name);
}
