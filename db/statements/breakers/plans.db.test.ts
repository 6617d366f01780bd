import { afterAll, beforeAll, expect, it } from "vitest";
import type { Tx } from "../../client";
import { openTestDatabase, type TestDatabase } from "../../testing/database";
import { scansOf } from "../../testing/explain";
import { boardCells } from "./board-cells";
import { failuresOfWorkers, lastSuccesses } from "./worker-ends";

const HISTORY = 60_000;
let database: TestDatabase;
let month: string;

/** An hour and a half of ends, ten a second, in the order of their commits; every tenth of them failed. */
beforeAll(async () => {
  database = await openTestDatabase();
  month = new Date().toISOString().slice(0, 7).replace("-", "_");
  await database.sql.begin(async (sql) => {
    await sql.unsafe(`
      set local session_replication_role = replica;
      create temporary table old on commit drop as
        select n, now() - (${HISTORY} - n) * interval '100 milliseconds' as at, overlay(uuidv7()::text placing lpad(to_hex(n), 12, '0') from 25)::uuid as id
        from generate_series(1, ${HISTORY}) n;
      insert into attempts (run_id, node_key, generation, no, execution_id, token, run_state, trace_id, span_id, dispatched_at, committed_at, outcome, worker_id)
        select id, 'a', 1, 1, id, 1, 'RUNNING', 't', 's', at, at, case when n % 10 = 0 then 'failed' else 'succeeded' end, 'w-' || n % 20 from old order by n;
      insert into error_events (run_id, id, project_id, pipeline_id, node_key, generation, attempt_no, execution_id, code, message, retry_count, trace_id, worker_id, at)
        select id, id, id, id, 'a', 1, 1, id, 'SHOP_STOCK_409', 'm', 0, 't', 'w-' || n % 20, at from old where n % 10 = 0;
    `);
  });
  await database.sql`vacuum (analyze) attempts`;
  await database.sql`vacuum (analyze) error_events`;
});
afterAll(() => database.close());

const now = new Date();
const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
const wanted = ["w-0", "w-10"].map((workerId) => ({ workerId, rowSince: before(600), killsSince: before(600) }));
const CALLS: Record<string, (db: Tx) => Promise<unknown>> = {
  failuresOfWorkers: (db) => failuresOfWorkers(db, wanted, { until: now, newest: 200 }),
  boardCells: (db) => boardCells(db, ["w-0", "w-10"], { since: before(3_600), projectIds: null, mostOfEach: 2_000 }),
  lastSuccesses: (db) => lastSuccesses(db, ["w-0", "w-10"], { from: before(20), to: now }),
};

it.each(Object.entries(CALLS))("%s reads what ended lately by its index, however much lies behind (STO-1, EXC-6)", async (_name, call) => {
  const found = (await scansOf(database.sql, call)).filter(({ relation }) => relation.endsWith(month));
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter(({ type }) => type === "Seq Scan")).toEqual([]);
});

it("the index of ends leaves the update that ends an attempt within its page, as the claim's (STO-1)", async () => {
  const fresh = await openTestDatabase();
  try {
    await fresh.sql`
      insert into attempts (run_id, node_key, generation, no, execution_id, token, run_state, trace_id, span_id, dispatched_at)
      values (uuidv7(), 'a', 1, 1, uuidv7(), 1, 'RUNNING', 't', 's', now())`;
    await fresh.sql`update attempts set committed_at = now(), outcome = 'succeeded'`;
    await fresh.sql`select pg_stat_force_next_flush()`;
    const [row] = await fresh.sql.unsafe<{ updated: number; hot: number }[]>(
      "select sum(n_tup_upd)::int as updated, sum(n_tup_hot_upd)::int as hot from pg_stat_user_tables where relname like 'attempts%'",
    );
    expect(row).toEqual({ updated: 1, hot: 1 });
  } finally {
    await fresh.close();
  }
});
