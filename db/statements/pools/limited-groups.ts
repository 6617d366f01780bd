import { sql } from "drizzle-orm";
import type { Executor } from "../../client";
import { textArray } from "../array";
import { prepared } from "../prepared";

/**
 * Those of the groups that have a limit. Whoever asks in a transaction keeps a limit from being put on another of them until
 * it commits, since that takes the table for itself. Index: the key of slots, one probe a group.
 */
const limited = prepared<{ name: string }, { groups: string }>(
  (value) => sql`
    select g.name from unnest((select ${value("groups")}::text[])) as g (name)
    where (select true from slots s where s.key = 'group:' || g.name limit 1)
  `,
);

export const limitedGroups = async (db: Executor, groups: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await limited(db, { groups: textArray(groups) })).map((row) => row.name));
