import { sql } from "drizzle-orm";
import type { Executor } from "../client";
import { textArray } from "./array";

export interface RoutingRow {
  readonly projectId: string;
  /** The live table: the highest version. Null where none was ever saved. */
  readonly table: { readonly version: number; readonly rules: unknown } | null;
  /** Code, stack, shape of message, and the registered code that such failures are. */
  readonly taught: readonly (readonly [string, string, string, string])[];
  /** What the register keeps for retries, by code; of proposals nothing is in force. */
  readonly retries: Readonly<Record<string, unknown>>;
}

interface Row {
  readonly [column: string]: unknown;
  readonly project_id: string;
  readonly version: number | null;
  readonly rules: unknown;
  readonly taught: RoutingRow["taught"] | null;
  readonly retries: RoutingRow["retries"] | null;
}

/**
 * What decides where a failure goes, of each of these projects: the codes that the inbox was taught, the register's retries, and
 * the live routing table. Indexes: the primary key, one probe a project; code_mappings_live; error_codes_code.
 */
export async function readRoutingTables(db: Executor, projectIds: readonly string[]): Promise<RoutingRow[]> {
  const rows = await db.execute<Row>(sql`
    select p.id as project_id, v.version, v.rules, (
      select jsonb_agg(jsonb_build_array(m.from_code, m.stack_hash, m.shape, m.to_code)) from code_mappings m
      where m.project_id = p.id and m.undone_at is null
    ) as taught, (
      select jsonb_object_agg(c.code, c.retry) from error_codes c
      where c.project_id = p.id and c.state <> 'proposed' and c.retry is not null
    ) as retries
    from unnest(${textArray(projectIds)}::uuid[]) as p (id)
    left join lateral (select version, rules from routing_versions where project_id = p.id order by version desc limit 1) v on true
  `);
  return rows.map(({ project_id, version, rules, taught, retries }) => ({
    projectId: project_id,
    table: version === null ? null : { version, rules },
    taught: taught ?? [],
    retries: retries ?? {},
  }));
}
