import { sql } from "drizzle-orm";
import type { Tx } from "../../client";
import { textArray } from "../array";
import { prepared } from "../prepared";

/** Those of some groups that have a limit: what is ready there is for a claim, which takes its slot. Index: the key of slots. */
const read = prepared<{ name: string }, { groups: string }>(
  (value) => sql`
    select g.name from unnest(${value("groups")}::text[]) as g (name) where exists (select from slots s where s.key = 'group:' || g.name)
  `,
);

export async function limitedGroups(tx: Tx, groups: readonly string[]): Promise<readonly string[]> {
  if (groups.length === 0) return [];
  return (await read(tx, { groups: textArray(groups) })).map(({ name }) => name);
}
