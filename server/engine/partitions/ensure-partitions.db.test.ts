import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";

let database: TestDatabase;
let other: ReturnType<TestDatabase["another"]>;

beforeAll(async () => {
  database = await openTestDatabase();
  other = database.another({ statement_timeout: 10_000 });
});
afterAll(() => database.close());

const PARENTS = ["runs", "node_runs", "executions", "attempts", "run_events", "error_events", "log_chunks", "audit", "platform_events"];
const ensure = async (from: string, ahead: number): Promise<number> => {
  const [row] = await other.sql`select ensure_partitions(${from}::timestamptz, ${ahead}) as made`;
  return Number(row?.made);
};
const partitionsOf = async (parent: string) =>
  (await database.sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = ${parent}::regclass`).map((row) =>
    String(row.name),
  );

test("partitions are made beside a dump that reads every table, and hold up no reader or writer (B92, F3)", async () => {
  await database.db.transaction(async (dump) => {
    for (const parent of PARENTS) await dump.execute(sql`select 1 from ${sql.identifier(parent)} limit 1`);
    await other.db.transaction(async (maker) => {
      const [row] = await maker.execute<{ made: number }>(sql`select ensure_partitions('2031-02-10'::timestamptz, 0) as made`);
      expect(row?.made).toBe(2 * PARENTS.length);
      for (const parent of PARENTS) {
        const reader = database.another({ lock_timeout: 500 });
        await reader.db.execute(sql`select 1 from ${sql.identifier(parent)} limit 1`);
        await reader.close();
      }
    });
  });
  for (const parent of PARENTS) expect(await partitionsOf(parent)).toContain(`${parent}_2031_02`);
});

test("a partition has every index, check and guard of its table", async () => {
  await ensure("2032-02-10", 0);
  for (const parent of PARENTS) {
    const [row] = await database.sql`
      select (select count(*)::integer from pg_index where indrelid = ${parent}::regclass) as indexes,
        (select count(*)::integer from pg_index i join pg_inherits h on h.inhrelid = i.indexrelid where i.indrelid = ${`${parent}_2032_02`}::regclass) as attached,
        (select count(*)::integer from pg_constraint where conrelid = ${parent}::regclass) as constraints,
        (select count(*)::integer from pg_constraint where conrelid = ${`${parent}_2032_02`}::regclass) as own_constraints,
        (select count(*)::integer from pg_trigger where tgrelid = ${parent}::regclass and tgtype & 1 = 1) as guards,
        (select count(*)::integer from pg_trigger where tgrelid = ${`${parent}_2032_02`}::regclass and tgtype & 1 = 1) as own_guards`;
    expect(row?.indexes).toBeGreaterThan(0);
    expect([row?.attached, row?.own_constraints, row?.own_guards]).toEqual([row?.indexes, row?.constraints, row?.guards]);
  }
});

test("where nothing is missing a start waits for nobody, whatever is locked", async () => {
  const now = new Date().toISOString();
  await ensure(now, 3);
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('apollo11.partitions'))`);
    await tx.execute(sql`lock table runs, audit in access exclusive mode`);
    expect(await ensure(now, 3)).toBe(0);
  });
});

test("a table that is held is left for the next call, the others get their months", async () => {
  await ensure("2033-05-10", 0);
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`lock table log_chunks in share update exclusive mode`);
    expect(await ensure("2033-05-10", 1)).toBe(PARENTS.length - 1);
  });
  expect(await ensure("2033-05-10", 1)).toBe(1);
});

test("two starts at once make each partition once", async () => {
  const [a, b] = await Promise.all([ensure("2034-05-10", 3), ensure("2034-05-10", 3)]);
  expect((a ?? 0) + (b ?? 0)).toBe(5 * PARENTS.length);
});
