import { sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Tx } from "@/db/client";
import { recentRunsOnly } from "@/db/statements/recent-runs";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { scansOf } from "@/db/testing/explain";
import { shownEvents } from "@/server/engine/codes/mapping";
import { newestEvents } from "./check-code";
import { readHistory, readUsual } from "./check-node";
import { readKills, readTrips } from "./check-worker";

const HISTORY = 60_000;
const PROJECT = "00000000-0000-7000-8000-000000000001";
let database: TestDatabase;
let month: string;

beforeAll(async () => {
  database = await openTestDatabase();
  month = new Date().toISOString().slice(0, 7).replace("-", "_");
  await database.sql.begin(async (tx) => {
    await tx.unsafe(`
      set local session_replication_role = replica;
      create temporary table old on commit drop as
        select n, now() - (${HISTORY} - n) * interval '100 milliseconds' as at, overlay(uuidv7()::text placing lpad(to_hex(n), 12, '0') from 25)::uuid as id
        from generate_series(1, ${HISTORY}) n;
      insert into attempts (run_id, node_key, generation, no, execution_id, token, run_state, trace_id, span_id, dispatched_at, committed_at, outcome, worker_id)
        select id, 'a', 1, 1, id, 1, 'RUNNING', 't', 's', at, at, 'succeeded', 'w-1' from old;
      insert into error_events (run_id, id, project_id, pipeline_id, node_key, generation, attempt_no, execution_id, code, message, retry_count, trace_id, worker_id, at)
        select id, id, '${PROJECT}', id, 'a', 1, 1, id, 'SHOP_STOCK_' || n % 50, 'm', 0, 't', 'w-' || n % 20, at from old;
      insert into run_events (run_id, id, at, event, node_key, actor, cause)
        select id, n, at, 'claimed', 'a', '{}', 'c' from old;
      insert into platform_events (id, code, message, data, at)
        select id, 'APOLLO_SOMETHING_' || n % 20, 'm', '{}', at from old;
    `);
  });
  for (const table of ["attempts", "error_events", "run_events", "platform_events"]) await database.sql.unsafe(`vacuum (analyze) ${table}`);
});
afterAll(() => database.close());

const node = { runId: PROJECT, nodeKey: "a", pipelineId: PROJECT };
const CALLS: Record<string, (tx: Tx) => Promise<unknown>> = {
  newestEvents: async (tx) =>
    tx.execute(sql`select count(*) from ${newestEvents(shownEvents(PROJECT, ["SHOP_STOCK_9"], []), "SHOP_STOCK_9", 24)} e`),
  readHistory: (tx) => readHistory(tx, node),
  readUsual: (tx) => readUsual(tx, node),
  readKills: (tx) => readKills(tx, PROJECT, "w-1"),
  readTrips: (tx) => readTrips(tx, "w-1"),
};

it.each(Object.entries(CALLS))("%s of a check reads by an index, however much lies behind (INC-4, STO-1)", async (_name, call) => {
  const found = (await scansOf(database.sql, call)).filter(({ relation }) => relation.endsWith(month));
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter(({ type }) => type === "Seq Scan")).toEqual([]);
  // An index that is walked from end to end is no better.
  expect(found.filter(({ bound, type }) => bound === null && type !== "Bitmap Heap Scan")).toEqual([]);
});

it("a check leaves out the months before the last two (INC-4)", async () => {
  await database.sql.unsafe("select ensure_partitions(clock_timestamp() - interval '4 months', 0)");
  const [row] = await database.sql<
    { part: string }[]
  >`select 'error_events_' || to_char(clock_timestamp() - interval '4 months', 'YYYY_MM') as part`;
  const seen = new PgDialect().sqlToQuery(sql`explain (analyze, costs off, timing off, summary off)
    select 1 from error_events e where e.project_id = ${PROJECT}::uuid and e.code = 'A' and ${recentRunsOnly(sql.raw("e.run_id"))}`);
  const plan = await database.sql.unsafe<{ "QUERY PLAN": string }[]>(seen.sql, seen.params as string[]);
  const text = plan.map((line) => line["QUERY PLAN"]).join("\n");
  expect(text).toContain(`error_events_${month}`);
  expect(text).not.toContain(row?.part);
});
