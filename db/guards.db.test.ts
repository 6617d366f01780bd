import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NODE_STATES, RUN_STATES } from "../server/domain/run/states";
import {
  allowedNodePairs,
  allowedRunPairs,
  INITIAL_NODE_STATES,
  INITIAL_RUN_STATES,
  leavesForGood,
} from "../server/domain/run/transitions";
import { stateGuardSql } from "./guards";
import { makeProject, testCtx } from "./testing/ctx";
import { openTestDatabase, type TestDatabase } from "./testing/database";
import { node } from "./testing/plans";
import { makePipeline, startRun } from "./testing/runs";

let database: TestDatabase;
let runId: string;
beforeAll(async () => {
  database = await openTestDatabase();
  const ctx = testCtx(database.db);
  runId = await startRun(ctx, await makePipeline(ctx, await makeProject(ctx), [node("a")]));
});
afterAll(() => database.close());

const REFUSED = "AP001";

/** The SQL state with which `work` is refused after `prepare`, which no trigger sees; null when it is done. Nothing is kept. */
async function refusalOf(prepare: string, work: string): Promise<string | null> {
  const ROLLBACK = new Error("rollback");
  let refusal: string | null = null;
  await database.sql
    .begin(async (sql) => {
      await sql.unsafe(`set local session_replication_role = replica; ${prepare}; set local session_replication_role = origin`);
      try {
        await sql.unsafe(work);
      } catch (error) {
        refusal = (error as { code?: string }).code ?? "unknown";
      }
      throw ROLLBACK;
    })
    .catch((error: unknown) => {
      if (error !== ROLLBACK) throw error;
    });
  return refusal;
}

const setNode = (state: string, more = "") => `update node_runs set state = '${state}'${more} where run_id = '${runId}' and key = 'a'`;

describe("the state guards of Postgres", () => {
  it("hold the transition table of the domain: the two are equal (RUN-1)", async () => {
    const [row] = await database.sql`select allowed_node_pairs() as nodes, allowed_run_pairs() as runs`;
    expect(row?.nodes).toEqual(allowedNodePairs());
    expect(row?.runs).toEqual(allowedRunPairs());
    for (const statement of stateGuardSql()) {
      const [, name, body] = /function (\w+)\(\)[\s\S]*?\$\$([\s\S]*)\$\$/.exec(statement) ?? [];
      const [held] = await database.sql`select prosrc from pg_proc where proname = ${name ?? ""}`;
      expect(held?.prosrc, `${name} in the migrations is what db/guards.ts prints`).toBe(body);
    }
  });

  it("refuse every step of a node that the table does not list, whoever asks (RUN-1)", async () => {
    const pairs = new Set(allowedNodePairs());
    for (const from of NODE_STATES) {
      for (const to of NODE_STATES.filter((state) => state !== from)) {
        const next = leavesForGood(from) ? ", generation = generation + 1" : "";
        const refusal = await refusalOf(setNode(from), setNode(to, next));
        expect(`${from}>${to} ${refusal ?? "done"}`).toBe(`${from}>${to} ${pairs.has(`${from}>${to}`) ? "done" : REFUSED}`);
      }
    }
  });

  it("refuse a node that leaves its end without a new generation, and a token that goes back (RUN-1, IDM-2)", async () => {
    expect(await refusalOf(setNode("FAILED"), setNode("QUEUED"))).toBe(REFUSED);
    expect(await refusalOf(setNode("FAILED"), setNode("QUEUED", ", generation = generation + 2"))).toBe(REFUSED);
    expect(await refusalOf(setNode("RUNNING", ", token = 7"), setNode("QUEUED", ", token = 6"))).toBe(REFUSED);
  });

  it("refuse every step of a run that the table does not list (RUN-1)", async () => {
    const pairs = new Set(allowedRunPairs());
    const setRun = (state: string) => `update runs set state = '${state}' where id = '${runId}'`;
    for (const from of RUN_STATES) {
      for (const to of RUN_STATES.filter((state) => state !== from)) {
        const refusal = await refusalOf(setRun(from), setRun(to));
        expect(`${from}>${to} ${refusal ?? "done"}`).toBe(`${from}>${to} ${pairs.has(`${from}>${to}`) ? "done" : REFUSED}`);
      }
    }
  });

  it("let nodes and runs be born only as the table says (RUN-1)", async () => {
    const copy = (table: string, state: string, id: string) =>
      `insert into ${table} select (jsonb_populate_record(x, '{"state": "${state}", ${id}}')).* from ${table} x where ${table === "runs" ? "id" : "run_id"} = '${runId}' limit 1`;
    for (const state of NODE_STATES) {
      const born = (INITIAL_NODE_STATES as readonly string[]).includes(state);
      expect(await refusalOf("select 1", copy("node_runs", state, '"key": "b"'))).toBe(born ? null : REFUSED);
    }
    const sibling = runId.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    for (const state of RUN_STATES) {
      const born = (INITIAL_RUN_STATES as readonly string[]).includes(state);
      expect(await refusalOf("select 1", copy("runs", state, `"id": "${sibling}"`))).toBe(born ? null : REFUSED);
    }
  });

  it("refuse to change a completed execution, and any past event (IDM-2, RUN-9)", async () => {
    const ours = `where run_id = '${runId}'`;
    expect(await refusalOf(`update executions set state = 'COMPLETED' ${ours}`, `update executions set result = '1' ${ours}`)).toBe(
      REFUSED,
    );
    expect(await refusalOf(`update executions set token = 5 ${ours}`, `update executions set token = 4 ${ours}`)).toBe(REFUSED);
    expect(await refusalOf("select 1", `update run_events set cause = 'x' ${ours}`)).toBe("AP002");
    expect(await refusalOf("select 1", `delete from run_events ${ours}`)).toBe("AP002");
  });
});
