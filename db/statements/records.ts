import { getTableColumns, type InferInsertModel } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

const columnNames = new WeakMap<PgTable, readonly (readonly [property: string, name: string])[]>();

function namesOf(table: PgTable) {
  const known = columnNames.get(table);
  if (known) return known;
  const names = Object.entries(getTableColumns(table)).map(([property, column]) => [property, column.name] as const);
  columnNames.set(table, names);
  return names;
}

let lastDate: Date | undefined;
let lastIso = "";

/** Most instants of one commit are one and the same object. */
export function isoOf(date: Date): string {
  if (date !== lastDate) {
    lastIso = date.toISOString();
    lastDate = date;
  }
  return lastIso;
}

/**
 * Rows as the JSON array that `jsonb_populate_recordset` reads: keyed by column, instants as ISO text. What is null is left
 * out: a record that is populated from nothing has null there, and half of a row that is born is null.
 */
export function recordsOf<T extends PgTable>(table: T, rows: readonly Partial<InferInsertModel<T>>[]): Record<string, unknown>[] {
  const names = namesOf(table);
  return rows.map((row) => {
    const values = row as Record<string, unknown>;
    const record: Record<string, unknown> = {};
    for (const [property, name] of names) {
      const value = values[property];
      if (value !== undefined && value !== null) record[name] = value instanceof Date ? isoOf(value) : value;
    }
    return record;
  });
}
