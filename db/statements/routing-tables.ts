import { sql } from "drizzle-orm";
import type { Executor } from "../client";
import { textArray } from "./array";

export interface RoutingRow {
  readonly projectId: string;
  readonly version: number;
  readonly rules: unknown;
}

/** The live routing table of each of these projects that has one: its highest version. Index: the primary key, one probe a project. */
export async function readRoutingTables(db: Executor, projectIds: readonly string[]): Promise<RoutingRow[]> {
  const rows = await db.execute<{ project_id: string; version: number; rules: unknown }>(sql`
    select p.id as project_id, v.version, v.rules
    from unnest(${textArray(projectIds)}::uuid[]) as p (id)
    cross join lateral (select version, rules from routing_versions where project_id = p.id order by version desc limit 1) v
  `);
  return rows.map(({ project_id, version, rules }) => ({ projectId: project_id, version, rules }));
}
