import { sql } from "drizzle-orm";
import type { Executor } from "../../client";
import { textArray } from "../array";
import { prepared } from "../prepared";

/**
 * Groups that some worker serves, and that these slots may let start something: their own, or a pool's that nodes of them
 * wait for. One probe a group and key, and only after a commit that freed a slot. Index: node_runs_ready.
 */
const waiting = prepared<{ name: string }, { keys: string }>(
  (value) => sql`
    select g.name from (select distinct unnest(groups) as name from workers where expires_at > clock_timestamp()) g
    where 'group:' || g.name = any (${value("keys")}::text[]) or exists (
      select 1 from unnest((select ${value("keys")}::text[])) as k (key) cross join lateral (
        select 1 from node_runs n where n.state = 'QUEUED' and not n.held and n.worker_group = g.name and n.pool_key = k.key limit 1
      ) n
    )
    order by g.name
  `,
);

export const groupsWaitingFor = async (db: Executor, keys: readonly string[]): Promise<string[]> =>
  (await waiting(db, { keys: textArray(keys) })).map((row) => row.name);
