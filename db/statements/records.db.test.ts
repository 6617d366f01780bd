import { getTableColumns, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { attempts } from "../schema/runs";
import { openTestDatabase, type TestDatabase } from "../testing/database";
import { recordsIn, recordsOf } from "./records";

type Row = typeof attempts.$inferInsert;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** What the server makes of rows, without what is null there. */
async function sent(rows: readonly Row[]): Promise<Record<string, unknown>[]> {
  const found = await database.db.execute<{ row: Record<string, unknown> }>(
    sql`select jsonb_strip_nulls(to_jsonb(r)) as row from ${recordsIn(attempts, sql`${recordsOf(attempts, rows)}`)} r`,
  );
  return found.map(({ row }) => row);
}

const byColumn = (row: Row): Record<string, unknown> => {
  const values = Object.entries(getTableColumns(attempts)).map(([property, { name }]) => [name, row[property as keyof Row]] as const);
  const given = values.filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    given.map(([name, value]) => [name, value instanceof Date ? value.toISOString().replace("Z", "+00:00") : value]),
  );
};

const runId = "0198f0a0-0000-7000-8000-000000000000";
const row = (more: Partial<Row> = {}): Row => ({
  ...{ runId, nodeKey: "a", generation: 1, no: 1, executionId: runId, token: 1, runState: "RUNNING", traceId: "t", spanId: "s" },
  ...{ dispatchedAt: new Date("2026-03-01T10:20:30.123Z"), refs: { b: runId }, logBytes: 0 },
  ...more,
});

it("rows arrive as they are, whatever is the same in all of them and whatever is null in some (IDM-4)", async () => {
  const some: Row[] = [
    row({ no: 1, workerId: "w", inputs: [1, null, { deep: "x" }], queuedAt: new Date("2026-03-01T10:20:29.567Z"), refs: {} }),
    row({ no: 2, workerId: null, output: false, handedOn: true }),
    row({ no: 3, inputs: [1, null, { deep: "y" }], output: 0, errorMessage: "" }),
  ];
  for (const rows of [some, [...some].reverse(), [row(), row()], [row({ output: "" })], []]) {
    expect(await sent(rows)).toEqual(rows.map(byColumn));
  }
});
