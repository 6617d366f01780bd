import { sql } from "drizzle-orm";
import type { Executor } from "../client";

interface Leak {
  readonly what: string;
  readonly key: string;
  readonly run_id: string;
  readonly node_key: string;
}

/**
 * What breaks the conservation of slots, at any moment and so always nothing: a taken slot whose node does not run with its
 * token, a node that runs under a limit without a slot, and one that has two of the same limit.
 */
export async function slotLeaks(db: Executor): Promise<Leak[]> {
  const rows = await db.execute<Leak & Record<string, unknown>>(sql`
    with due as (
      select n.run_id, n.key as node_key, n.token, k.key from node_runs n
      cross join lateral (
        select n.pool_key as key where n.pool_key <> ''
        union all select 'group:' || n.worker_group where exists (select from group_limits g where g.name = n.worker_group)
      ) k
      where n.state = 'RUNNING' and n.worker_id is not null
    )
    select 'taken by what does not run' as what, s.key, s.run_id, s.node_key from slots s
    where s.run_id is not null and not exists (
      select from due d where d.key = s.key and d.run_id = s.run_id and d.node_key = s.node_key and d.token = s.token
    )
    union all
    select case when held.number = 0 then 'runs without a slot' else 'has two slots' end, d.key, d.run_id, d.node_key from due d
    cross join lateral (
      select count(*) as number from slots s where s.key = d.key and s.run_id = d.run_id and s.node_key = d.node_key
    ) held
    where held.number <> 1
  `);
  return [...rows];
}

/**
 * The most attempts that were open at one instant, by the event log alone: each is open from its `claimed` or `handedOn` to
 * the next step of its node. `of` chooses the nodes, as a condition on `n` (their rows).
 */
export async function mostOpen(db: Executor, of: string): Promise<number> {
  const [row] = await db.execute<{ most: number }>(sql`
    with step as (
      select e.id, e.event, lead(e.id) over (partition by e.run_id, e.node_key order by e.id) as until
      from run_events e join node_runs n on n.run_id = e.run_id and n.key = e.node_key
      where e.event not like 'late.%' and (${sql.raw(of)})
    ), tick as (
      select id as at, 1 as change from step where event in ('claimed', 'handedOn')
      union all select until, -1 from step where event in ('claimed', 'handedOn') and until is not null
    )
    select coalesce(max(open), 0)::integer as most from (select sum(change) over (order by at) as open from tick) o
  `);
  return row?.most ?? 0;
}
