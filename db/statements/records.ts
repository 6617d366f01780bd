import { getTableColumns, type InferInsertModel, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

/** Rows as the JSON array that `jsonb_populate_recordset` reads: keyed by column, instants as ISO text. */
export function recordsOf<T extends PgTable>(table: T, rows: readonly Partial<InferInsertModel<T>>[]): Record<string, unknown>[] {
  const names = Object.entries(getTableColumns(table)).map(([property, column]) => [property, column.name] as const);
  return rows.map((row) => {
    const values = row as Record<string, unknown>;
    return Object.fromEntries(names.flatMap(([property, name]) => (values[property] === undefined ? [] : [[name, values[property]]])));
  });
}

/** A set of records to join with. Its limit is its size, which the planner would else take for a hundred. */
export function rowsOf<T extends PgTable>(table: T, name: string, rows: readonly Partial<InferInsertModel<T>>[]): SQL {
  const type = sql.raw(`null::${name}`);
  return sql`(select * from jsonb_populate_recordset(${type}, ${JSON.stringify(recordsOf(table, rows))}::jsonb) limit ${rows.length})`;
}
