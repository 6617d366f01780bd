import { sql } from "drizzle-orm";
import type { Tx } from "../../client";
import { textArray } from "../array";
import { prepared } from "../prepared";

/**
 * Those of some groups that have a limit, or in which a valve stops something: what is ready there is for a claim, which takes
 * its slot and passes by what is held. Index: the key of slots; valves_once, which holds the open ones.
 */
const read = prepared<{ name: string }, { groups: string }>(
  (value) => sql`
    select g.name from unnest(${value("groups")}::text[]) as g (name) where exists (select from slots s where s.key = 'group:' || g.name)
      or exists (select from valves v where v.ended_at is null and (v.kind <> 'group' or v.target = g.name))
  `,
);

export async function limitedGroups(tx: Tx, groups: readonly string[]): Promise<readonly string[]> {
  if (groups.length === 0) return [];
  return (await read(tx, { groups: textArray(groups) })).map(({ name }) => name);
}
