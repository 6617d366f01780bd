import { afterAll, beforeAll, expect, it } from "vitest";
import type { Tx } from "../../client";
import { openTestDatabase, type TestDatabase } from "../../testing/database";
import { scansOf } from "../../testing/explain";
import { failuresOfTasks, successesOfTask } from "./task-ends";

const HISTORY = 60_000;
let database: TestDatabase;
let month: string;
const projectId = "00000000-0000-7000-8000-000000000001";

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
      insert into runs (id, project_id, pipeline_id, version_id, version_no, state, trigger_kind, actor, trace_id)
        select id, '${projectId}', '${projectId}', '${projectId}', 1, 'SUCCESS', 'manual', '{}', 't' from old;
      insert into attempts (run_id, node_key, generation, no, execution_id, token, run_state, trace_id, span_id, dispatched_at, committed_at, outcome)
        select id, 'a', 1, 1, id, 1, 'RUNNING', 't', 's', at, at, case when n % 10 = 0 then 'failed' else 'succeeded' end from old order by n;
      insert into error_events (run_id, id, project_id, pipeline_id, node_key, generation, attempt_no, execution_id, code, message, retry_count, trace_id, at)
        select id, id, '${projectId}', id, 'a', 1, 1, id, 'SHOP_STOCK_409', 'm', 0, 't', at from old where n % 10 = 0;
    `);
  });
  for (const table of ["runs", "attempts", "error_events"]) await database.sql.unsafe(`vacuum (analyze) ${table}`);
});
afterAll(() => database.close());

const span = { from: new Date(Date.now() - 600_000), to: new Date() };
const CALLS: Record<string, (db: Tx) => Promise<unknown>> = {
  failuresOfTasks: (db) => failuresOfTasks(db, projectId, span),
  successesOfTask: (db) => successesOfTask(db, { projectId, task: "http", ...span, enough: 20 }),
};

it.each(Object.entries(CALLS))("%s reads what ended lately by its index, however much lies behind (STO-1, EXC-10)", async (_name, call) => {
  const found = (await scansOf(database.sql, call)).filter(({ relation }) => relation.endsWith(month));
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter(({ type }) => type === "Seq Scan")).toEqual([]);
});
