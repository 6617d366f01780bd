import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workers } from "@/db/schema/platform";
import { errorEvents, executions } from "@/db/schema/runs";
import { makeProject, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import {
  attemptsOf,
  drive,
  eventsOf,
  executionOf,
  makeFence,
  makePipeline,
  makeWorker,
  nodesByKey,
  reportOf,
  runOf,
  startRun,
  statesOf,
} from "@/db/testing/runs";
import { type ClaimedNode, MAX_HOPS, MAX_OUTPUT_BYTES, type WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { claimReady } from "./claim";
import { recoverLostWorkers } from "./recover-lost-workers";
import { settle } from "./settle";

let database: TestDatabase;
let ctx: Ctx;
let ports: ReturnType<typeof recordingPorts>;
let project: { id: string };
let group: string;
let worker: WorkerLease;
beforeAll(async () => {
  database = await openTestDatabase();
  ports = recordingPorts();
  ctx = testCtx(database.db, { ports });
  project = await makeProject(ctx);
});
afterAll(() => database.close());

/** A run whose nodes are in a group of its own, so that no test takes another's nodes; and its worker. */
async function begin(nodes: (group: string) => Parameters<typeof makePipeline>[2], spec: Parameters<typeof makePipeline>[3] = {}) {
  group = `g-${ctx.ids.randomHex(4)}`;
  worker = await makeWorker(ctx, [group]);
  const pipeline = await makePipeline(ctx, project, nodes(group), spec);
  return startRun(ctx, pipeline);
}

async function claimOne(from: WorkerLease = worker): Promise<ClaimedNode> {
  const [claimed] = await claimReady(ctx, { worker: from, groups: [group], limit: 1 });
  if (!claimed) throw new Error("nothing was ready");
  return claimed;
}

const settleOne = (claimed: ClaimedNode, end?: Parameters<typeof reportOf>[1], free: Record<string, number> = {}) =>
  settle(ctx, { worker, reports: [reportOf(claimed, end)], free });

/** Ends the lease of a worker, as when it was killed a while ago. */
const expire = (lease: WorkerLease) =>
  ctx.db.update(workers).set({ expiresAt: sql`clock_timestamp() - interval '1 second'` }).where(eq(workers.id, lease.id));

describe("claim", () => {
  it("gives a node with all that its execution needs, and writes the attempt with its snapshot (RUN-8, IDM-1)", async () => {
    const input = { rows: "{{ nodes.pull.output.rows }}" };
    const runId = await begin((g) => [
      node("pull", [], { group: g }),
      node("load", ["pull"], { group: g, with: { task: "t.load", input } }),
    ]);
    const pull = await claimOne();
    await settleOne(pull, { kind: "succeeded", output: { rows: 3 } });
    const load = await claimOne();
    const row = (await nodesByKey(ctx, runId)).get("load");
    expect(load).toMatchObject({
      runId,
      key: "load",
      executionId: row?.executionId,
      token: 1,
      attemptNo: 1,
      outputs: { pull: { rows: 3 } },
      node: { with: { task: "t.load", input } },
      domain: "TEST",
      hops: 0,
      storedResult: null,
      maybeRepeated: false,
    });
    expect(load.timeoutAt.getTime() - load.dispatchedAt.getTime()).toBe(600_000);
    expect(await attemptsOf(ctx, runId, "load")).toMatchObject([
      {
        outcome: null,
        workerId: worker.id,
        worker: { fingerprint: { cpu: "test" } },
        refs: { pull: pull.executionId },
        runState: "RUNNING",
        spanId: load.spanId,
        traceId: (await runOf(ctx, runId)).traceId,
        queuedAt: expect.any(Date),
        dispatchedAt: expect.any(Date),
      },
    ]);
    expect(await executionOf(ctx, load.executionId)).toMatchObject({ state: "EXECUTING", token: 1 });
  });

  it("gives nothing to a worker whose lease has run out, was renewed by another process, or is of another epoch (IDM-3, B48)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g })]);
    const strangers = [
      { ...worker, bootId: ctx.ids.uuid() },
      { ...worker, epoch: 2 },
      { ...worker, id: "nobody" },
    ];
    for (const stranger of strangers) expect(await claimReady(ctx, { worker: stranger, groups: [group], limit: 5 })).toEqual([]);
    await expire(worker);
    expect(await claimReady(ctx, { worker, groups: [group], limit: 5 })).toEqual([]);
    expect(await statesOf(ctx, runId)).toEqual({ a: "QUEUED" });
  });

  it("takes by rank: priority is worth waiting time, and nobody starves (RUN-5)", async () => {
    const runId = await begin((g) => [
      node("low", [], { group: g, priority: -5 }),
      node("mid", [], { group: g }),
      node("high", [], { group: g, priority: 5 }),
      node("old", [], { group: g, priority: -5 }),
    ]);
    await ctx.db.execute(sql`update node_runs set rank = rank - interval '2 hours' where run_id = ${runId}::uuid and key = 'old'`);
    expect(await drive(ctx, worker, { groups: [group], limit: 1 })).toEqual(["old", "high", "mid", "low"]);
  });

  it("gives each of many ready nodes to exactly one of several workers that claim at once (IDM-2, RUN-4)", async () => {
    const keys = Array.from({ length: 60 }, (_, n) => `n${n}`);
    await begin((g) => keys.map((key) => node(key, [], { group: g })));
    const others = await Promise.all([1, 2, 3].map(() => makeWorker(ctx, [group])));
    const pools = others.map(() => testCtx(database.another().db, { ports }));
    const taken: string[] = [];
    const claimAll = async (own: Ctx, lease: WorkerLease) => {
      for (let empty = 0; empty < 3; ) {
        const claimed = await claimReady(own, { worker: lease, groups: [group], limit: 4 });
        empty = claimed.length === 0 ? empty + 1 : 0;
        taken.push(...claimed.map(({ key }) => key));
      }
    };
    await Promise.all(others.map((lease, index) => claimAll(pools[index] ?? ctx, lease)));
    expect(taken.sort()).toEqual(keys.sort());
  });
});

describe("settle", () => {
  it("accepts the first of two deliveries and answers the repeat as applied, without another event (IDM-2, B44)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g })]);
    const claimed = await claimOne();
    const report = reportOf(claimed, { kind: "succeeded", output: { n: 1 } });
    const settled = await Promise.all([1, 2].map(() => settle(ctx, { worker, reports: [report], free: {} })));
    expect(settled.flatMap(({ settlements }) => settlements.map(({ result }) => result))).toEqual(["applied", "applied"]);
    const again = await settle(ctx, { worker, reports: [report, report], free: {} });
    expect(again.settlements.map(({ result }) => result)).toEqual(["applied", "applied"]);
    const ends = (await eventsOf(ctx, runId)).filter(({ event }) => event.endsWith("succeeded"));
    expect(ends.length).toBe(1);
    expect(await attemptsOf(ctx, runId, "a")).toMatchObject([{ no: 1, outcome: "succeeded" }]);
  });

  it("records the late result of a worker that was taken over as an event and never applies it (IDM-2, B51)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g }), node("b", ["a"], { group: g })]);
    const first = await claimOne();
    await expire(worker);
    const fence = await makeFence(ctx);
    expect(await recoverLostWorkers(ctx, fence)).toEqual({ count: 1, more: false });
    const other = await makeWorker(ctx, [group]);
    const second = await claimOne(other);
    expect(second).toMatchObject({ executionId: first.executionId, token: first.token + 2, maybeRepeated: true, attemptNo: 2 });

    const late = await settleOne(first, { kind: "succeeded", output: "from the dead" });
    expect(late.settlements).toEqual([{ runId, key: "a", token: first.token, result: "superseded" }]);
    expect(await statesOf(ctx, runId)).toEqual({ a: "RUNNING", b: "PENDING" });

    await settle(ctx, { worker: other, reports: [reportOf(second, { kind: "succeeded", output: "accepted" })], free: {} });
    await settleOne(first, { kind: "failed" });
    expect(await executionOf(ctx, first.executionId)).toMatchObject({ state: "COMPLETED", result: "accepted" });
    expect(await statesOf(ctx, runId)).toEqual({ a: "SUCCESS", b: "QUEUED" });
    const events = await eventsOf(ctx, runId);
    expect(events.filter(({ event }) => event.startsWith("late.")).map(({ event, data }) => [event, data.token])).toEqual([
      ["late.succeeded", first.token],
      ["late.attemptFailed", first.token],
    ]);
    expect(await attemptsOf(ctx, runId, "a")).toMatchObject([{ outcome: "lost" }, { outcome: "succeeded", maybeRepeated: true }]);
  });

  it("consults the register: a completed execution comes with its stored result, which stays as it is (IDM-2)", async () => {
    const reads = { task: "test.work", input: { of: "{{ nodes.a.output }}" } };
    const runId = await begin((g) => [node("a", [], { group: g }), node("b", ["a"], { group: g, with: reads })]);
    const { executionId = "" } = (await nodesByKey(ctx, runId)).get("a") ?? {};
    await ctx.db
      .update(executions)
      .set({ state: "COMPLETED", result: { done: "before" }, completedAt: new Date(), completedBy: "worker" })
      .where(eq(executions.executionId, executionId));
    const claimed = await claimOne();
    expect(claimed.storedResult).toEqual({ output: { done: "before" } });
    await settleOne(claimed, { kind: "succeeded", output: { done: "again" } });
    expect(await executionOf(ctx, executionId)).toMatchObject({ state: "COMPLETED", result: { done: "before" } });
    expect((await claimOne()).outputs).toEqual({ a: { done: "before" } });
  });

  it("fails a node once whose output is too large or cannot be stored, and keeps the reason (B78, B81)", async () => {
    const runId = await begin((g) => [node("big", [], { group: g }), node("nul", [], { group: g })]);
    await drive(ctx, worker, {
      groups: [group],
      end: ({ key }) => ({ kind: "succeeded", output: key === "big" ? "x".repeat(MAX_OUTPUT_BYTES) : "a\u0000b" }),
    });
    const nodes = await nodesByKey(ctx, runId);
    expect(nodes.get("big")).toMatchObject({ state: "FAILED", attempts: 1, errorCode: "APOLLO_OUTPUT_TOO_LARGE_413" });
    expect(nodes.get("nul")).toMatchObject({ state: "FAILED", attempts: 1, errorCode: "APOLLO_OUTPUT_INVALID_422" });
    expect(await attemptsOf(ctx, runId, "big")).toMatchObject([{ outcome: "failed", output: null }]);
  });

  it("keeps what the worker told of an attempt, on failure too (RUN-8)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g })]);
    const claimed = await claimOne();
    await settleOne(claimed, { kind: "failed", code: "TEST_A_BROKEN_500" });
    expect(await attemptsOf(ctx, runId, "a")).toMatchObject([
      {
        outcome: "failed",
        inputs: { of: "a" },
        response: { status: 200 },
        errorCode: "TEST_A_BROKEN_500",
        logBytes: 12,
        pickedUpAt: expect.any(Date),
        executingAt: expect.any(Date),
        committedAt: expect.any(Date),
      },
    ]);
    const errors = await ctx.db.select().from(errorEvents).where(eq(errorEvents.runId, runId));
    expect(errors).toMatchObject([
      { nodeKey: "a", code: "TEST_A_BROKEN_500", executionId: claimed.executionId, attemptNo: 1, retryCount: 0 },
    ]);
    expect(await executionOf(ctx, claimed.executionId)).toMatchObject({ state: "REGISTERED" });
  });

  it("folds reports of many runs into one commit and rings for what it made ready (IDM-4)", async () => {
    await begin((g) => [node("a", [], { group: g }), node("b", ["a"], { group: g })]);
    const pipeline = await makePipeline(ctx, project, [node("x", [], { group }), node("y", ["x"], { group })]);
    await startRun(ctx, pipeline);
    const claimed = await claimReady(ctx, { worker, groups: [group], limit: 10 });
    ports.rung.length = 0;
    const { settlements } = await settle(ctx, { worker, reports: claimed.map((each) => reportOf(each)), free: {} });
    expect(settlements.map(({ result }) => result)).toEqual(["applied", "applied"]);
    expect(ports.rung).toEqual([group]);
  });

  it("answers a report of a run that does not exist as superseded (IDM-2)", async () => {
    await begin((g) => [node("a", [], { group: g })]);
    const claimed = { ...(await claimOne()), runId: ctx.ids.uuid() };
    expect((await settleOne(claimed)).settlements).toMatchObject([{ result: "superseded" }]);
  });
});

describe("hand-on", () => {
  const chainOf = (length: number) => (g: string) =>
    Array.from({ length }, (_, n) => {
      const before = `n${n - 1}`;
      const reads = { task: "test.work", input: { of: `{{ nodes.${before}.output }}` } };
      return n === 0 ? node("n0", [], { group: g }) : node(`n${n}`, [before], { group: g, with: reads });
    });

  it("takes the next node in the commit that makes it ready, both steps recorded (IDM-4)", async () => {
    const runId = await begin(chainOf(2));
    const first = await claimOne();
    const { handedOn } = await settleOne(first, { kind: "succeeded", output: { n: 0 } }, { [group]: 1 });
    expect(handedOn).toMatchObject([{ key: "n1", token: 1, hops: 1, outputs: { n0: { n: 0 } }, stayedSince: first.stayedSince }]);
    expect(await statesOf(ctx, runId)).toEqual({ n0: "SUCCESS", n1: "RUNNING" });
    expect((await eventsOf(ctx, runId)).slice(-2)).toMatchObject([
      { event: "ready", from: "PENDING", to: "QUEUED" },
      { event: "handedOn", from: "QUEUED", to: "RUNNING", data: { token: 1 } },
    ]);
    expect(await attemptsOf(ctx, runId, "n1")).toMatchObject([
      { handedOn: true, workerId: worker.id, refs: { n0: first.executionId }, spanId: handedOn[0]?.spanId },
    ]);
    expect(await executionOf(ctx, handedOn[0]?.executionId ?? "")).toMatchObject({ state: "EXECUTING", token: 1 });
    await settleOne(handedOn[0] ?? first);
    expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
  });

  it("goes back to the queue after so many nodes, so that others have their turn (RUN-5)", async () => {
    const runId = await begin(chainOf(MAX_HOPS + 2));
    // The stay is kept young, so that its length in nodes alone decides.
    const settleYoung = (claimed: ClaimedNode) =>
      settle(ctx, { worker, reports: [{ ...reportOf(claimed), stayedSince: new Date() }], free: { [group]: 1 } });
    let current = await claimOne();
    for (let hop = 1; hop <= MAX_HOPS; hop++) {
      const { handedOn } = await settleYoung(current);
      expect(handedOn.length).toBe(1);
      current = handedOn[0] ?? current;
    }
    expect((await settleYoung(current)).handedOn).toEqual([]);
    expect((await statesOf(ctx, runId))[`n${MAX_HOPS + 1}`]).toBe("QUEUED");
  });

  it("goes back to the queue when the run has stayed for long enough (RUN-5)", async () => {
    await begin(chainOf(2));
    const first = await claimOne();
    const report = { ...reportOf(first), stayedSince: new Date(Date.now() - 5_000) };
    expect((await settle(ctx, { worker, reports: [report], free: { [group]: 1 } })).handedOn).toEqual([]);
  });

  it("takes no more than the worker has free, of its groups alone, in all (WRK-2)", async () => {
    const other = `o-${ctx.ids.randomHex(4)}`;
    const runId = await begin((g) => [
      node("a", [], { group: g }),
      ...[1, 2, 3].map((n) => node(`b${n}`, ["a"], { group: g })),
      node("o", ["a"], { group: other }),
      node("s", ["a"], { group: "strange" }),
    ]);
    const first = await claimOne();
    const { handedOn } = await settleOne(first, undefined, { [group]: 2, [other]: 2 });
    expect(handedOn.map(({ key }) => key)).toEqual(["b1", "b2"]);
    expect(await statesOf(ctx, runId)).toMatchObject({ b3: "QUEUED", o: "QUEUED", s: "QUEUED" });
  });

  it("is not for a worker whose lease is over: it may report, and takes nothing new (IDM-3)", async () => {
    const runId = await begin(chainOf(2));
    const first = await claimOne();
    await expire(worker);
    const { settlements, handedOn } = await settleOne(first, undefined, { [group]: 1 });
    expect(settlements).toMatchObject([{ result: "applied" }]);
    expect(handedOn).toEqual([]);
    expect(await statesOf(ctx, runId)).toEqual({ n0: "SUCCESS", n1: "QUEUED" });
  });
});
