import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BY_KEY, type Tx } from "../../client";
import { makeProject, testCtx } from "../../testing/ctx";
import { openTestDatabase, type TestDatabase } from "../../testing/database";
import { type Scan, scansOf } from "../../testing/explain";
import { node } from "../../testing/plans";
import { makePipeline, makeWorker, nodesByKey, runOf, startRun } from "../../testing/runs";
import { countNodes } from "../nodes/count-nodes";
import { ownAttempts } from "../nodes/own-attempts";
import { readQuietNodes } from "../nodes/quiet-nodes";
import { readyByGroup } from "../nodes/ready-by-group";
import { readPastFailures } from "../past-failures";
import { groupsWaitingFor } from "../pools/groups-waiting";
import { countReviews, readReviews } from "../reviews";
import { readRoutingTables } from "../routing-tables";
import { findUpcomingDue } from "../upcoming-due";
import { applyDecisions } from "./apply-decisions";
import { claimReady } from "./claim-ready";
import { resultsWithin } from "./read-executions";
import { readRuns } from "./read-runs";
import {
  findDueRetries,
  findElapsedWaits,
  findForgottenGroups,
  findLost,
  findOverdueAttempts,
  findOverdueDeadlines,
  findStuckRetries,
} from "./recover";
import { revokedAmong } from "./revoked-attempts";
import { hasEarlierRun, liveRunCount, pipelinesWithWaitingRuns, waitingRuns } from "./turns";

const HISTORY = 20_000;
let database: TestDatabase;
let month: string;
let runId: string;
let pipelineId: string;
let worker: { id: string; bootId: string; epoch: number };

/** Fills the tables with finished runs of one node each, as days of work leave them. */
async function fillHistory(): Promise<void> {
  await database.sql.begin(async (sql) => {
    await sql.unsafe(`
      set local session_replication_role = replica;
      create temporary table old on commit drop as
        select overlay(r.id::text placing lpad(to_hex(n), 12, '0') from 25)::uuid as id from runs r, generate_series(1, ${HISTORY}) n where r.id = '${runId}';
      insert into runs select (jsonb_populate_record(r, jsonb_build_object('id', o.id, 'state', 'SUCCESS'))).* from old o, runs r where r.id = '${runId}';
      insert into node_runs select (jsonb_populate_record(n, jsonb_build_object('run_id', o.id, 'state', 'SUCCESS', 'execution_id', o.id))).*
        from old o, node_runs n where n.run_id = '${runId}' and n.key = 'a';
      insert into executions select (jsonb_populate_record(x, jsonb_build_object('run_id', o.id, 'state', 'COMPLETED', 'execution_id', o.id))).*
        from old o, executions x where x.run_id = '${runId}' and x.node_key = 'a';
      insert into attempts (run_id, node_key, generation, no, execution_id, token, run_state, trace_id, span_id, dispatched_at, outcome)
        select id, 'a', 1, 1, id, 1, 'RUNNING', 't', 's', now(), 'succeeded' from old;
      insert into run_events (run_id, event, node_key, actor, cause) select id, 'succeeded', 'a', '{}', '' from old;
    `);
  });
  await database.sql`analyze runs, node_runs, executions, attempts, run_events`;
}

beforeAll(async () => {
  database = await openTestDatabase();
  const ctx = testCtx(database.db);
  const pipeline = await makePipeline(ctx, await makeProject(ctx), [node("a"), node("b", ["a"])]);
  pipelineId = pipeline.pipelineId;
  runId = await startRun(ctx, pipeline);
  worker = await makeWorker(ctx);
  month = (await runOf(ctx, runId)).createdAt.toISOString().slice(0, 7).replace("-", "_");
  await fillHistory();
});
afterAll(() => database.close());

/** Whole-table scans of a partition that holds the history; an empty month may be read as the planner likes. */
const wholeScans = (scans: readonly Scan[]) => scans.filter(({ type, relation }) => type === "Seq Scan" && relation.endsWith(month));

const scans = async (call: (db: Tx) => Promise<unknown>): Promise<Scan[]> => {
  const found = await scansOf(database.sql, call);
  expect(found.length).toBeGreaterThan(0);
  return found;
};

/** How often each partition was read whole or by a key, as the server counts it: what a function does is seen there too. */
const scansMade = async (): Promise<readonly { name: string; scans: number }[]> => {
  const parts = "'^(runs|node_runs|executions|attempts|run_events)_2'";
  return database.sql.unsafe<{ name: string; scans: number }[]>(`
    select 'whole ' || relname as name, seq_scan::integer as scans from pg_stat_user_tables where relname ~ ${parts}
    union all select 'key ' || indexrelname, idx_scan::integer from pg_stat_user_indexes where relname ~ ${parts} order by name
  `);
};

const claim = (groups: string[]) => (db: Tx) => claimReady(db, { worker, groups, limit: 8, spanIds: Array.from({ length: 8 }, () => "s") });

describe("in tables that have never been counted, over a worker's connection", () => {
  const ofWorker: Record<string, (db: Tx) => Promise<unknown>> = {
    claim: claim(["default", "b"]),
    readRuns: (db) => readRuns(db, [runId]),
    resultsWithin: (db) => resultsWithin(db, [runId], 1_000),
    revokedAmong: (db) => revokedAmong(db, worker.id, [{ runId, key: "a", token: 1 }]),
    ownAttempts: (db) => ownAttempts(db, worker),
    countNodes: (db) => countNodes(db, [runId]),
  };

  it.each(Object.entries(ofWorker))("%s goes to its rows by key, however much else there is (STO-1)", async (_name, call) => {
    const fresh = await openTestDatabase();
    try {
      const found = (await scansOf(fresh.another(BY_KEY).sql, call)).filter(({ relation }) => /_\d{4}_\d\d$/.test(relation));
      expect(found.length).toBeGreaterThan(0);
      const walks = found.filter(
        ({ index, bound }) => bound === null || !/_(pkey|worker_group_pool_key_rank_idx|worker_id_idx)$/.test(index ?? ""),
      );
      expect(walks).toEqual([]);
    } finally {
      await fresh.close();
    }
  });
});

describe("with 20,000 finished runs in the tables", () => {
  it("a claim reads the ready rows by their index and nothing else whole (STO-1)", async () => {
    for (const groups of [["default"], ["default", "b", "c"]]) {
      const found = await scans(claim(groups));
      expect(wholeScans(found)).toEqual([]);
      const ready = found.filter(({ index }) => index?.includes("worker_group_pool_key_rank"));
      expect(ready.map(({ relation }) => relation)).toContain(`node_runs_${month}`);
    }
  });

  it("the commit of decisions finds its rows by their keys, and looks into no other month (STO-1)", async () => {
    const ctx = testCtx(database.db);
    const run = await runOf(ctx, runId);
    const rows = [...(await nodesByKey(ctx, runId)).values()];
    const commit = (db: Tx) =>
      applyDecisions(db, {
        nodes: rows.map((row) => ({ row, from: row })),
        newExecutions: [],
        executions: rows.map(({ executionId, token }) => ({ runId, executionId, token, state: "REGISTERED" })),
        closed: rows.map((row) => ({ runId, nodeKey: row.key, generation: 1, no: 1, outcome: "failed", committedAt: run.createdAt })),
        opened: [],
        events: [],
        errors: [],
        runs: [{ ...run, seq: run.seq + 1 }],
      });
    const before = await scansMade();
    await database.db.transaction(async (tx) => {
      await commit(tx);
      await tx.execute(sql`select pg_stat_force_next_flush()`);
    });
    const after = await scansMade();
    const made = after.filter(({ name, scans }) => scans !== before.find((each) => each.name === name)?.scans).map(({ name }) => name);
    expect(made.filter((name) => name.startsWith("whole"))).toEqual([]);
    expect(made.filter((name) => !name.includes(month))).toEqual([]);
    expect(made).toContain(`key node_runs_${month}_pkey`);
  });

  const sweeps: Record<string, (db: Tx) => Promise<unknown>> = {
    findLost: (db) => findLost(db, 100),
    findDueRetries: (db) => findDueRetries(db, 100),
    findElapsedWaits: (db) => findElapsedWaits(db, 100),
    findOverdueAttempts: (db) => findOverdueAttempts(db, 5_000, 100),
    findOverdueDeadlines: (db) => findOverdueDeadlines(db, 5_000, 100),
    readQuietNodes: (db) => readQuietNodes(db, 200),
    findStuckRetries: (db) => findStuckRetries(db, 300_000, 100),
    readReviews: (db) => readReviews(db, { projectId: runId, code: "TEST_A_B_1" }, null, 50),
    countReviews: (db) => countReviews(db, runId, 240),
    readRoutingTables: (db) => readRoutingTables(db, [runId]),
    readPastFailures: (db) => readPastFailures(db, runId, new Date(0), 50_000),
    findUpcomingDue: (db) => findUpcomingDue(db, new Date(0), new Date(), 5_000),
    groupsWaitingFor: (db) => groupsWaitingFor(db, ["pool:x:y", "group:default"]),
    findForgottenGroups: (db) => findForgottenGroups(db, 2_000),
    pipelinesWithWaitingRuns: (db) => pipelinesWithWaitingRuns(db, { after: null, limit: 100 }),
    waitingRuns: (db) => waitingRuns(db, pipelineId, { after: null, behind: [], limit: 50 }),
    liveRunCount: (db) => liveRunCount(db, pipelineId),
    hasEarlierRun: (db) => hasEarlierRun(db, pipelineId, runId),
    readRuns: (db) => readRuns(db, [runId]),
    resultsWithin: (db) => resultsWithin(db, [runId], 1_000),
    revokedAmong: (db) => revokedAmong(db, worker.id, [{ runId, key: "a", token: 1 }]),
    ownAttempts: (db) => ownAttempts(db, worker),
    readyByGroup: (db) => readyByGroup(db),
    countNodes: (db) => countNodes(db, [runId]),
  };

  it.each(Object.entries(sweeps))("%s costs nothing for what has ended (STO-1)", async (_name, sweep) => {
    expect(wholeScans(await scans(sweep))).toEqual([]);
  });
});

it("the review queue of one project is read by its index, however much waits in others (STO-1, RUN-2)", async () => {
  await database.sql`
    insert into review_items (run_id, node_key, project_id, pipeline_id, since)
    select uuidv7(), 'a', md5((n % 40)::text)::uuid, ${pipelineId}::uuid, now() - n * interval '1 second' from generate_series(1, 20000) n`;
  await database.sql`vacuum (analyze) review_items`;
  for (const read of [(db: Tx) => countReviews(db, runId, 240), (db: Tx) => readReviews(db, { projectId: runId }, null, 50)]) {
    const queue = (await scans(read)).filter(({ relation }) => relation === "review_items");
    expect(queue.length).toBeGreaterThan(0);
    const astray = queue.filter(({ index, bound }) => index !== "review_items_queue" || !bound?.includes("project_id"));
    expect(astray).toEqual([]);
  }
});
