import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { scansOf } from "@/db/testing/explain";
import { triageQuery } from "./list-triage";
import { eventsUnder, trendQuery } from "./load-code";
import { shownEvents } from "./mapping";

const HISTORY = 60_000;
const PROJECT = "00000000-0000-7000-8000-000000000001";
let database: TestDatabase;
let month: string;

/** Of many projects and codes, an hour and a half of events; and months that are long over. */
beforeAll(async () => {
  database = await openTestDatabase();
  month = new Date().toISOString().slice(0, 7).replace("-", "_");
  await database.sql.unsafe("select ensure_partitions(clock_timestamp() - interval '8 months', 0)");
  await database.sql.begin(async (tx) => {
    await tx.unsafe(`
      set local session_replication_role = replica;
      create temporary table old on commit drop as
        select n, now() - (${HISTORY} - n) * interval '100 milliseconds' as at, overlay(uuidv7()::text placing lpad(to_hex(n), 12, '0') from 25)::uuid as id
        from generate_series(1, ${HISTORY}) n;
      insert into error_events (run_id, id, project_id, pipeline_id, node_key, generation, attempt_no, execution_id, code, message, retry_count, trace_id, at)
        select id, id, overlay('${PROJECT}' placing lpad((n % 50)::text, 12, '0') from 25)::uuid, id, 'a', 1, 1, id, 'SHOP_STOCK_' || n % 40, 'm', 0, 't', at from old;
    `);
  });
  await database.sql.unsafe("vacuum (analyze) error_events");
});
afterAll(() => database.close());

const mapped = [{ from: "SHOP_STOCK_1", to: "SHOP_STOCK_9" }];
const under = (teaches: typeof mapped) => eventsUnder("SHOP_STOCK_9", shownEvents(PROJECT, ["SHOP_STOCK_9"], teaches));
const QUERIES: Record<string, SQL> = {
  "the triage inbox": triageQuery(PROJECT, undefined, 50),
  "the trend of a code": trendQuery(under([]), "UTC"),
  "the trend of a code with a mapping": trendQuery(under(mapped), "UTC"),
};

describe.each(Object.entries(QUERIES))("%s", (_name, query) => {
  it("walks a bounded stretch of an index, however much lies behind (EXC-1, STO-1)", async () => {
    const found = (await scansOf(database.sql, (tx) => tx.execute(query))).filter(({ relation }) => relation === `error_events_${month}`);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ type }) => type === "Seq Scan")).toEqual([]);
    expect(found.filter(({ bound, type }) => bound === null && type !== "Bitmap Heap Scan")).toEqual([]);
  });

  it("leaves out the months that are long over (EXC-1, STO-1)", async () => {
    const [old] = await database.sql<{ part: string }[]>`
      select 'error_events_' || to_char(clock_timestamp() - interval '8 months', 'YYYY_MM') as part`;
    const { sql, params } = new PgDialect().sqlToQuery(query);
    const plan = await database.sql.unsafe<{ "QUERY PLAN": string }[]>(`explain ${sql}`, params as string[]);
    const text = plan.map((line) => line["QUERY PLAN"]).join("\n");
    expect(text).toContain(`error_events_${month}`);
    expect(text).not.toContain(old?.part);
  });
});
