import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Executor } from "../client";
import { openTestDatabase, type TestDatabase } from "../testing/database";
import { executePrepared, prepared } from "./prepared";

interface Row {
  readonly told: unknown;
  readonly at: string;
  readonly count: number;
  readonly names: string[];
  readonly gone: string | null;
}

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
  await database.sql`create table kept (name text)`;
});
afterAll(() => database.close());

const given = {
  told: JSON.stringify({ a: [1, "two", null], "€": "ü\"'" }),
  at: new Date("2026-03-29T01:30:00.123Z").toISOString(),
  count: 7,
  names: '{"a","b,\\"c"}',
  gone: null,
};
const echo = prepared<Row, typeof given>(
  (value) => sql`
    select ${value("told")}::jsonb as told, ${value("at")}::timestamptz as at, ${value("count")}::integer as count,
      ${value("names")}::text[] as names, ${value("gone")}::text as gone
  `,
);
const echoed = (db: Executor) =>
  db.execute(
    sql`select ${given.told}::jsonb as told, ${given.at}::timestamptz as at, ${given.count}::integer as count,
      ${given.names}::text[] as names, cast(${given.gone} as text) as gone`,
  );

/** Of the connection that the transaction has. */
const parsedIn = async (db: Executor, part: string): Promise<number> => {
  const [row] = await db.execute<{ n: number }>(
    sql`select count(*)::integer as n from pg_prepared_statements where position(${part} in statement) > 0`,
  );
  return row?.n ?? 0;
};

describe("a prepared statement", () => {
  it("takes and gives the same values as one that is sent whole (STO-1)", async () => {
    expect(await echo(database.db, given)).toEqual([...(await echoed(database.db))]);
    await database.db.transaction(async (tx) => expect(await echo(tx, given)).toEqual([...(await echoed(tx))]));
  });

  it("is parsed once by each connection, however often it is called (STO-1)", async () => {
    await database.db.transaction(async (tx) => {
      for (let time = 0; time < 3; time++) {
        await echo(tx, { ...given, count: time });
        await executePrepared(tx, sql`select ${time}::integer as template_of_each_call`);
      }
      expect(await parsedIn(tx, "::text as gone")).toBe(1);
      expect(await parsedIn(tx, "template_of_each_call")).toBe(1);
    });
  });

  it("is a part of the transaction that it is given (IDM-4)", async () => {
    const keep = prepared<object, { name: string }>((value) => sql`insert into kept values (${value("name")})`);
    const undone = database.db.transaction(async (tx) => {
      await keep(tx, { name: "inside" });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    await keep(database.db, { name: "outside" });
    expect(await database.sql`select name from kept`).toEqual([{ name: "outside" }]);
  });

  it("goes on after a change of the tables that it reads (STO-3)", async () => {
    const read = prepared<{ name: string }, { name: string }>((value) => sql`select * from kept where name <> ${value("name")}`);
    await database.db.transaction(async (tx) => void (await read(tx, { name: "" })));
    await database.sql`alter table kept add column more integer`;
    for (let connection = 0; connection < 6; connection++) await expect(read(database.db, { name: "" })).resolves.toBeInstanceOf(Array);
  });
});
