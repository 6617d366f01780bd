import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as schema from "@/db/schema";
import { workers } from "@/db/schema/platform";
import { executions, slots } from "@/db/schema/runs";
import { readRuns } from "@/db/statements/state/read-runs";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type NodeInput, node, type SpecInput } from "@/db/testing/plans";
import { attemptsOf, eventsOf, makePipeline, makeWorker, nodesByKey, reportOf, runOf, startRun, statesOf } from "@/db/testing/runs";
import type { ClaimedNode, WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { cancelRun } from "./cancel-run";
import { claimReady } from "./claim";
import { pauseRun } from "./pause-run";
import { RunMemory } from "./run-memory";
import { settle } from "./settle";
import { loadVersion } from "./versions";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
let group: string;
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  project = await makeProject(ctx);
});
afterAll(() => database.close());
beforeEach(() => {
  group = `g-${ctx.ids.randomHex(4)}`;
});

interface Hand {
  readonly ctx: Ctx;
  readonly lease: WorkerLease;
  readonly memory: RunMemory;
  claim(limit?: number): Promise<ClaimedNode[]>;
  /** Remembers a run as it is now. */
  look(runId: string): Promise<void>;
  settle(
    nodes: readonly ClaimedNode[],
    free?: number,
    end?: Parameters<typeof reportOf>[1],
  ): Promise<Awaited<ReturnType<typeof settle>> & { readonly statements: readonly string[] }>;
}

/** A worker with its memory, over a pool of its own, that counts what it sends. */
async function hand(): Promise<Hand> {
  const sent: string[] = [];
  const db = drizzle(database.another().sql, { schema, logger: { logQuery: (text) => void sent.push(text) } });
  const own = testCtx(db);
  const lease = await makeWorker(own, [group]);
  const memory = new RunMemory(own.clock.monotonicMs);
  return {
    ctx: own,
    lease,
    memory,
    claim: (limit = 10) => claimReady(own, { worker: lease, groups: [group], limit, memory }),
    look: async (runId) => {
      const { runs, at: told } = await readRuns(db, [runId]);
      memory.time.hear(told);
      for (const each of runs) memory.keep(each, await loadVersion(db, each.row.versionId));
    },
    settle: async (nodes, free = 0, end) => {
      sent.length = 0;
      const reports = nodes.map((each) => ({ ...reportOf(each, end), stayedSince: new Date() }));
      const settled = await settle(own, { worker: lease, reports, free: { [group]: free }, memory });
      return { ...settled, statements: [...sent] };
    },
  };
}

const run = async (nodes: readonly NodeInput[], spec: Partial<SpecInput> = {}) =>
  startRun(ctx, await makePipeline(ctx, project, nodes, spec));
const at = (key: string, needs: readonly string[] = [], more = {}) => node(key, needs, { group, ...more });
const one = (nodes: readonly ClaimedNode[], key?: string): ClaimedNode => {
  const found = nodes.find((each) => key === undefined || each.key === key);
  if (!found) throw new Error(`${key ?? "no node"} was not claimed`);
  return found;
};
const startsOf = async (runId: string, key: string) =>
  (await eventsOf(ctx, runId))
    .filter(({ nodeKey, event }) => nodeKey === key && ["ready", "claimed", "handedOn"].includes(event))
    .map(({ event }) => event);

describe("a settle from what the worker remembers", () => {
  it("costs one statement for each step of a chain, and reads nothing again that it has just had accepted (IDM-4)", async () => {
    const runId = await run([at("a"), at("b", ["a"], { with: { task: "t", input: { of: "{{ nodes.a.output }}" } } }), at("c", ["b"])]);
    const worker = await hand();
    const first = await worker.settle(await worker.claim(), 1, { kind: "succeeded", output: { rows: 7 } });
    expect(first.statements.map((text) => text.includes("apply_decisions"))).toEqual([true]);
    expect(one(first.handedOn)).toMatchObject({ key: "b", outputs: { a: { rows: 7 } }, hops: 1 });
    const second = await worker.settle(first.handedOn, 1);
    expect(second.statements.map((text) => text.includes("apply_decisions"))).toEqual([true]);
    const third = await worker.settle(second.handedOn, 1);
    expect(third.statements.length).toBe(1);
    expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
    expect(worker.memory.size.runs).toBe(0);
  });

  it("has nothing to read of a small run: its claim has told all of it, and of a larger one it reads once (IDM-4)", async () => {
    const worker = await hand();
    const parts = (statements: readonly string[]) => statements.map((text) => /apply_decisions|node_runs/.exec(text)?.[0]);
    const alone = await run([at("a")]);
    expect(parts((await worker.settle(await worker.claim())).statements)).toEqual(["apply_decisions"]);
    const four = await run(["a", "b", "c"].map((key) => at(key)).concat(at("d", ["a", "b", "c"])));
    const claimed = await worker.claim();
    const first = await worker.settle([one(claimed, "b")], 1);
    expect(parts(first.statements)).toEqual(["apply_decisions"]);
    const last = await worker.settle([one(claimed, "a"), one(claimed, "c")], 1);
    expect(parts((await worker.settle(last.handedOn)).statements)).toEqual(["apply_decisions"]);
    await run(["a", "b", "c", "d", "e"].map((key) => at(key)));
    const many = await worker.claim();
    expect(parts((await worker.settle([one(many, "a")])).statements)).toEqual(["node_runs", "apply_decisions"]);
    expect(parts((await worker.settle([one(many, "b")])).statements)).toEqual(["apply_decisions"]);
    expect([(await runOf(ctx, alone)).state, (await runOf(ctx, four)).state]).toEqual(["SUCCESS", "SUCCESS"]);
  });

  it("remembers of a claim what stands in the database after it (IDM-4)", async () => {
    const runId = await run([at("a", [], { priority: 2 }), at("b"), at("c", ["a", "b"])]);
    const worker = await hand();
    const agrees = async () => {
      const { runs } = await readRuns(ctx.db, [runId]);
      const known = worker.memory.find(runId);
      expect(known?.row).toEqual(runs[0]?.row);
      expect([...(known?.nodes.values() ?? [])]).toEqual(runs[0]?.nodes);
    };
    const claimed = await worker.claim(1);
    await agrees();
    await worker.settle(claimed, 0, { kind: "handedBack" });
    worker.memory.clear();
    await worker.claim(2);
    await agrees();
  });

  it("is refused by what a claim has told where the run has moved on since, and decides again under locks (IDM-4)", async () => {
    const runId = await run([at("a"), at("b"), at("c", ["a", "b"])]);
    const [worker, other] = [await hand(), await hand()];
    const mine = await worker.claim(1);
    await other.settle(await other.claim(1));
    const { settlements, handedOn, statements } = await worker.settle(mine, 1);
    expect(settlements).toMatchObject([{ result: "applied" }]);
    expect(handedOn.map(({ key }) => key)).toEqual(["c"]);
    expect(statements.filter((text) => text.includes("apply_decisions")).length).toBe(2);
    expect(await startsOf(runId, "c")).toEqual(["ready", "handedOn"]);
  });

  it("asks once for all outputs that it does not know, and for none that it does (PIP-5, B82)", async () => {
    const reading = { with: { task: "t", input: { a: "{{ nodes.a.output }}", b: "{{ nodes.b.output }}", c: "{{ nodes.c.output }}" } } };
    await run([at("a"), at("b"), at("c"), at("x", ["a", "b", "c"], reading), at("y", ["a", "b", "c"], reading)]);
    const [worker, other] = [await hand(), await hand()];
    const all = await worker.claim();
    for (const key of ["a", "b"]) await other.settle([one(all, key)], 0, { kind: "succeeded", output: key.repeat(3) });
    const { handedOn, statements } = await worker.settle([one(all, "c")], 2, { kind: "succeeded", output: "ccc" });
    const outputs = { a: "aaa", b: "bbb", c: "ccc" };
    expect(handedOn).toMatchObject([
      { key: "x", outputs },
      { key: "y", outputs },
    ]);
    expect(statements.filter((text) => text.includes("from executions")).length).toBe(1);
  });

  it("starts a join exactly once when two workers settle its parents at the same moment (B60, IDM-4)", async () => {
    for (let race = 0; race < 8; race++) {
      const runId = await run([at("a"), at("b"), at("join", ["a", "b"])]);
      const [left, right] = [await hand(), await hand()];
      const all = await left.claim();
      // Each knows the run as it is, and not what the other is about to tell.
      await Promise.all([left.look(runId), right.look(runId)]);
      const ends = await Promise.all([left.settle([one(all, "a")], race % 2), right.settle([one(all, "b")], race % 2)]);
      expect(ends.flatMap(({ handedOn }) => handedOn).length).toBe(race % 2);
      expect(await startsOf(runId, "join")).toEqual(race % 2 === 0 ? ["ready"] : ["ready", "handedOn"]);
    }
  });

  it("starts the join of 100 parents that end together on several workers exactly once (B61, IDM-4)", async () => {
    const parents = Array.from({ length: 100 }, (_, n) => `p${n}`);
    const runId = await run([...parents.map((key) => at(key)), at("join", parents)]);
    const hands = await Promise.all([hand(), hand(), hand(), hand()]);
    const shares = await Promise.all(hands.map((each) => each.claim(25)));
    expect(shares.flat().length).toBe(100);
    await Promise.all(
      hands.map(async (each, index) => {
        for (const claimed of shares[index] ?? []) await each.settle([claimed]);
      }),
    );
    expect(await startsOf(runId, "join")).toEqual(["ready"]);
    expect((await runOf(ctx, runId)).seq).toBe(101);
  });

  it("is refused where the run has moved on, and decides again under locks: a pause wins (RUN-3)", async () => {
    const runId = await run([at("a"), at("b", ["a"]), at("c")]);
    const worker = await hand();
    const all = await worker.claim();
    await worker.settle([one(all, "c")]);
    await pauseRun(ctx, { runId, reason: "wait" });
    const { settlements, handedOn, statements } = await worker.settle([one(all, "a")], 1);
    expect(settlements).toMatchObject([{ key: "a", result: "applied" }]);
    expect(handedOn).toEqual([]);
    expect(statements.filter((text) => text.includes("apply_decisions")).length).toBe(2);
    expect(await statesOf(ctx, runId)).toEqual({ a: "SUCCESS", b: "QUEUED", c: "SUCCESS" });
    expect((await nodesByKey(ctx, runId)).get("b")?.held).toBe(true);
    expect((await eventsOf(ctx, runId)).filter(({ nodeKey, event }) => nodeKey === "a" && event === "succeeded").length).toBe(1);
  });

  it("never applies what a cancel came before: the result is recorded as late (IDM-2, RUN-3)", async () => {
    const runId = await run([at("a"), at("b", ["a"]), at("c")]);
    const worker = await hand();
    const all = await worker.claim();
    await worker.settle([one(all, "c")]);
    await cancelRun(ctx, { runId, reason: "stop" });
    const { settlements, handedOn } = await worker.settle([one(all, "a")], 1, { kind: "succeeded", output: "late" });
    expect(settlements).toMatchObject([{ key: "a", result: "superseded" }]);
    expect(handedOn).toEqual([]);
    expect(await statesOf(ctx, runId)).toEqual({ a: "CANCELED", b: "CANCELED", c: "SUCCESS" });
    expect((await eventsOf(ctx, runId)).at(-1)).toMatchObject({ event: "late.succeeded", nodeKey: "a", data: { output: "late" } });
  });

  it("records a report with an old token and never applies it, though its run is remembered (IDM-2, B51)", async () => {
    const runId = await run([at("a"), at("c")]);
    const worker = await hand();
    const all = await worker.claim();
    await worker.settle([one(all, "c")]);
    await worker.settle([one(all, "a")], 0, { kind: "handedBack" });
    const again = one(await worker.claim(), "a");
    const { settlements } = await worker.settle([one(all, "a")], 0, { kind: "succeeded", output: "old" });
    expect(settlements).toMatchObject([{ result: "superseded" }]);
    expect((await eventsOf(ctx, runId)).filter(({ event }) => event === "late.succeeded").length).toBe(1);
    await worker.settle([again], 0, { kind: "succeeded", output: "new" });
    const [row] = await ctx.db.select().from(executions).where(eq(executions.executionId, again.executionId));
    expect(row).toMatchObject({ state: "COMPLETED", result: "new" });
  });

  it("aborts as a whole where a claim has come between, which raises no number of the run, and decides again (B64, IDM-4)", async () => {
    const runId = await run([at("a"), at("b"), at("c")], { onFailure: "fail" });
    const [worker, other] = [await hand(), await hand()];
    await worker.look(runId);
    const failing = one(await worker.claim(1));
    const taken = one(await other.claim(1));
    const { settlements } = await worker.settle([failing], 0, { kind: "failed", retryable: false });
    expect(settlements).toMatchObject([{ key: failing.key, result: "applied" }]);
    const [attempt] = await attemptsOf(ctx, runId, taken.key);
    expect(attempt).toMatchObject({ outcome: "canceled", token: taken.token });
    expect((await nodesByKey(ctx, runId)).get(taken.key)).toMatchObject({ state: "CANCELED", token: taken.token + 1 });
    expect((await runOf(ctx, runId)).state).toBe("FAILED");
  });

  it("writes state, event, error event, attempt, register, slot and successor in one commit (IDM-4)", async () => {
    const runId = await run([at("a"), at("b"), at("c", ["b"])], { onFailure: "continue" });
    const worker = await hand();
    const all = await worker.claim();
    const { token } = one(all, "a");
    await ctx.db.insert(slots).values({ key: `pool:${group}`, no: 1, runId, nodeKey: "a", token });
    const reports = [
      reportOf(one(all, "a"), { kind: "failed", retryable: false }),
      { ...reportOf(one(all, "b")), stayedSince: new Date() },
    ];
    await settle(worker.ctx, { worker: worker.lease, reports, free: { [group]: 1 }, memory: worker.memory });
    const rows = await database.sql.unsafe<{ what: string; xmin: string }[]>(`
      select 'run' as what, xmin::text from runs where id = '${runId}'
      union all select 'node ' || key || ' ' || state, xmin::text from node_runs where run_id = '${runId}'
      union all select 'register ' || node_key || ' ' || state, xmin::text from executions where run_id = '${runId}'
      union all select 'attempt ' || node_key || ' ' || coalesce(outcome, 'open'), xmin::text from attempts where run_id = '${runId}'
      union all select 'event ' || event || ' ' || coalesce(node_key, ''), xmin::text from run_events where run_id = '${runId}' and event <> 'claimed'
        and not (event = 'ready' and node_key <> 'c') and event not like 'run.%'
      union all select 'error ' || node_key, xmin::text from error_events where run_id = '${runId}'
      union all select 'slot ' || coalesce(run_id::text, 'free'), xmin::text from slots where key = 'pool:${group}' order by what
    `);
    expect(new Set(rows.map(({ xmin }) => xmin)).size).toBe(1);
    expect(rows.map(({ what }) => what)).toEqual([
      "attempt a failed",
      "attempt b succeeded",
      "attempt c open",
      "error a",
      "event attemptFailed a",
      "event handedOn c",
      "event ready c",
      "event succeeded b",
      "node a FAILED",
      "node b SUCCESS",
      "node c RUNNING",
      "register a REGISTERED",
      "register b COMPLETED",
      "register c EXECUTING",
      "run",
      "slot free",
    ]);
  });

  it("applies what a worker reports whose lease is over, and hands nothing on to it (IDM-3)", async () => {
    const runId = await run([at("a"), at("b", ["a"])]);
    const worker = await hand();
    const claimed = await worker.claim();
    await ctx.db
      .update(workers)
      .set({ expiresAt: new Date(0) })
      .where(eq(workers.id, worker.lease.id));
    const { settlements, handedOn } = await worker.settle(claimed, 1);
    expect(settlements).toMatchObject([{ result: "applied" }]);
    expect(handedOn).toEqual([]);
    expect(await statesOf(ctx, runId)).toEqual({ a: "SUCCESS", b: "QUEUED" });
  });

  it("hands nothing on of a group that has a limit: its slot is a claim's to take (RUN-4)", async () => {
    const runId = await run([at("a"), at("b", ["a"])]);
    const worker = await hand();
    const claimed = await worker.claim();
    await ctx.db.insert(slots).values({ key: `group:${group}`, no: 1 });
    expect((await worker.settle(claimed, 1)).handedOn).toEqual([]);
    expect(await statesOf(ctx, runId)).toEqual({ a: "SUCCESS", b: "QUEUED" });
    expect(worker.memory.isLimited(group)).toBe(true);
  });

  it("opens a second statement where one cannot hold a step, as a wait that fails at once (RUN-1)", async () => {
    const wait: NodeInput = { key: "w", type: "wait", needs: ["a"], with: { until: "tomorrow" } };
    const runId = await run([at("a"), wait]);
    const worker = await hand();
    const { settlements } = await worker.settle(await worker.claim());
    expect(settlements).toMatchObject([{ result: "applied" }]);
    expect(await statesOf(ctx, runId)).toEqual({ a: "SUCCESS", w: "FAILED" });
  });

  it("keeps the order of the times: registered, executing, completed, and never after the database's (P22)", async () => {
    const runId = await run(Array.from({ length: 8 }, (_, n) => at(`n${n}`, n === 0 ? [] : [`n${n - 1}`])));
    const worker = await hand();
    for (let nodes = await worker.claim(); nodes.length > 0; ) nodes = [...(await worker.settle(nodes, 1)).handedOn];
    const [row] = await ctx.db.execute<{ n: number; wrong: number }>(sql`
      select count(*)::integer as n, count(*) filter (where not (completed_at >= executing_at and executing_at >= registered_at
        and completed_at <= clock_timestamp()))::integer as wrong from executions where run_id = ${runId}::uuid
    `);
    expect(row).toEqual({ n: 8, wrong: 0 });
    const events = await eventsOf(ctx, runId);
    expect(events.every((event, index) => index === 0 || event.at >= (events[index - 1]?.at ?? event.at))).toBe(true);
  });
});

describe("a worker whose breaker is not closed", () => {
  it.each(["from what it remembers", "under locks"])("has its report settled, and is handed nothing on, %s (EXC-6)", async (how) => {
    const runId = await run([at("a"), at("b", ["a"])]);
    const worker = await hand();
    const claimed = one(await worker.claim());
    await ctx.db.update(workers).set({ tripped: true }).where(eq(workers.id, worker.lease.id));
    if (how === "under locks") worker.memory.clear();
    const input = { worker: worker.lease, reports: [reportOf(claimed)], free: { [group]: 5 } };
    const settled = await settle(worker.ctx, how === "under locks" ? input : { ...input, memory: worker.memory });
    expect(settled.handedOn).toEqual([]);
    expect(await statesOf(ctx, runId)).toEqual({ a: "SUCCESS", b: "QUEUED" });
  });
});
