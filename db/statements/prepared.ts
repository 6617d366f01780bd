import { type Placeholder, type Query, type SQL, sql } from "drizzle-orm";
import { PgDialect, type PgSession } from "drizzle-orm/pg-core";
import type { Executor } from "../client";

/** What a statement may be given; anything else goes as JSON text or as an array literal. */
export type PreparedValue = string | number | boolean | null;

/** A statement that each connection parses once; the server then need not plan it anew for every call. */
export type Prepared<Row, Values> = (db: Executor, values: Values) => Promise<Row[]>;

const dialect = new PgDialect();

/**
 * A hot statement whose text is put together once: a connection that has seen it sends values alone, in one round trip.
 * `value` names a parameter; one that is named twice is sent twice. Instants come back as text, as `execute` gives them.
 */
export function prepared<Row extends object, Values extends Readonly<Record<string, PreparedValue>>>(
  template: (value: (name: keyof Values & string) => Placeholder) => SQL,
): Prepared<Row, Values> {
  const query = dialect.sqlToQuery(template((name) => sql.placeholder(name)));
  return (db, values) => run(db, query, values);
}

/**
 * The same for a template that is put together at each call. Its text must not differ from call to call: a connection keeps
 * every text that it has seen.
 */
export const executePrepared = <Row extends object>(db: Executor, statement: SQL): Promise<Row[]> =>
  run(db, dialect.sqlToQuery(statement), {});

async function run<Row extends object>(db: Executor, query: Query, values: Readonly<Record<string, PreparedValue>>): Promise<Row[]> {
  // The types keep the session of a pool or transaction to drizzle itself. The driver prepares whatever has a name.
  const { session } = db as unknown as { readonly session: PgSession };
  const statement = session.prepareQuery<{ execute: readonly Row[]; all: unknown; values: unknown }>(query, undefined, "prepared", false);
  return [...(await statement.execute(values))];
}
