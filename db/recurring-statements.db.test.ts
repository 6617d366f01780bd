import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, connect, type Executor } from "./client";
import { openTestDatabase, type TestDatabase } from "./testing/database";

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await openTestDatabase();
  client = connect({ url: database.url, max: 1, applicationName: "test" });
});
afterAll(async () => {
  await client.close();
  await database.close();
});

const answer = (db: Executor, mark: string, value: number) => db.execute(sql`select ${value}::integer as ${sql.raw(mark)}`);
const preparedOf = async (mark: string) => {
  const rows = await client.sql<{ calls: number }[]>`
    select (generic_plans + custom_plans)::integer as calls from pg_prepared_statements where statement like ${`%as ${mark}`}
  `;
  return rows.map(({ calls }) => calls);
};

describe("statements that come back", () => {
  it("are prepared once a connection, from their second time on, in transactions and savepoints too", async () => {
    await answer(client.db, "first", 1);
    expect(await preparedOf("first")).toEqual([]);
    await answer(client.db, "first", 2);
    await client.db.transaction(async (tx) => {
      await answer(tx, "first", 3);
      await tx.transaction((inner) => answer(inner, "first", 4));
    });
    expect(await preparedOf("first")).toEqual([3]);
  });

  it("answer with the rows of their own parameters", async () => {
    const values = [];
    for (const value of [5, 6, 7]) values.push((await answer(client.db, "own", value))[0]?.own);
    expect(values).toEqual([5, 6, 7]);
  });

  it("are prepared only so many: the rest still runs", async () => {
    for (let index = 0; index < 320; index++) {
      for (const value of [1, 2]) expect(await answer(client.db, `many_${index}`, value)).toHaveLength(1);
    }
    const [row] = await client.sql<
      { count: number }[]
    >`select count(*)::integer as count from pg_prepared_statements where statement like '%as many%'`;
    expect(row?.count).toBeGreaterThan(200);
    expect(row?.count).toBeLessThanOrEqual(300);
  });
});
