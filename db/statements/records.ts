import { isDeepStrictEqual } from "node:util";
import { getTableColumns, getTableName, type InferInsertModel, type SQL, type SQLWrapper, sql } from "drizzle-orm";
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
 * Rows as JSON for `recordsIn`: `base` holds the columns in which all of them are the same, as nearly all are where many runs
 * of one pipeline are made, and `rows` the others, keyed by column, instants as ISO text. What is null is left out: a record
 * that is populated from nothing has null there, and half of a row that is born is null.
 */
export function recordsOf<T extends PgTable>(table: T, rows: readonly Partial<InferInsertModel<T>>[]): string {
  const [first] = rows as readonly Readonly<Record<string, unknown>>[];
  if (!first) return JSON.stringify({ base: {}, rows: [] });
  const base: Record<string, unknown> = {};
  const records: Record<string, unknown>[] = rows.map(() => ({}));
  for (const [property, name] of namesOf(table)) {
    const isShared = rows.every((row) => isSame((row as typeof first)[property], first[property]));
    if (isShared) put(base, name, first[property]);
    else for (const [index, record] of records.entries()) put(record, name, (rows[index] as typeof first)[property]);
  }
  return JSON.stringify({ base, rows: records });
}

function put(record: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined && value !== null) record[name] = value instanceof Date ? isoOf(value) : value;
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === "object" && a !== null && typeof b === "object" && b !== null && isDeepStrictEqual(a, b));

/** The rows of one parameter that `recordsOf` has written, as the table's own columns in their order. */
export const recordsIn = (table: PgTable, value: SQLWrapper): SQL => {
  const name = sql.identifier(getTableName(table));
  return sql`(select r.* from (select ${value}::jsonb as v) p
    cross join lateral jsonb_populate_recordset(jsonb_populate_record(null::${name}, p.v -> 'base'), p.v -> 'rows') r)`;
};
