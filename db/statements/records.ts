import { getTableColumns, type InferInsertModel } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

/** Rows as the JSON array that `jsonb_populate_recordset` reads: keyed by column, instants as ISO text. */
export function recordsOf<T extends PgTable>(table: T, rows: readonly Partial<InferInsertModel<T>>[]): Record<string, unknown>[] {
  const names = Object.entries(getTableColumns(table)).map(([property, column]) => [property, column.name] as const);
  return rows.map((row) => {
    const values = row as Record<string, unknown>;
    return Object.fromEntries(names.flatMap(([property, name]) => (values[property] === undefined ? [] : [[name, values[property]]])));
  });
}
