import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workers } from "@/db/schema/platform";
import { errorEvents } from "@/db/schema/runs";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { brokenInvariants } from "@/db/testing/invariants";
import { node } from "@/db/testing/plans";
import { attemptsOf, draftOf, drive, eventsOf, makeFence, makePipeline, reportOf, runOf, startRun, statesOf } from "@/db/testing/runs";
import type { WorkerLease } from "@/server/domain/run/work";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { registerWorker } from "@/server/engine/workers/register-worker";
import { renewWorker } from "@/server/engine/workers/renew-worker";
import { claimReady } from "./claim";
import { createRuns } from "./create-run";
import { endOverdueDeadlines } from "./end-overdue-deadlines";
import { recoverLostWorkers } from "./recover-lost-workers";
import { settle } from "./settle";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  project = await makeProject(ctx);
});
afterAll(() => database.close());

/** A worker as its own process would announce it. */
const register = (group: string): Promise<WorkerLease> =>
  registerWorker(ctx, {
    id: `w-${ctx.ids.randomHex(4)}`,
    bootId: ctx.ids.uuid(),
    previousBootIds: [],
    groups: [group],
    slots: 4,
    hostname: "test",
    pid: 1,
    site: null,
    fingerprint: {},
    tasks: [],
  });

const HEARTBEAT = { refusing: null, report: {} };

/** Time passes for a worker that says nothing: its lease is so much nearer to its end. */
const silence = (lease: WorkerLease, ms: number) =>
  ctx.db
    .update(workers)
    .set({ expiresAt: sql`${workers.expiresAt} - ${ms} * interval '1 millisecond'` })
    .where(eq(workers.id, lease.id));

describe("a worker whose heartbeats come late", () => {
  it("keeps its node while they are late by twice their interval, and once it is taken for dead its result is refused: never two accepted attempts (B39, IDM-3)", async () => {
    const fence = await makeFence(ctx);
    const group = "late-hearts";
    const pipeline = await makePipeline(ctx, project, [node("a", [], { group })], { concurrency: 1 });
    const [runId, next] = [await startRun(ctx, pipeline), await startRun(ctx, pipeline)];
    const busy = await register(group);
    const [first] = await claimReady(ctx, { worker: busy, groups: [group], limit: 1 });
    if (!first) throw new Error("nothing was ready");
    for (const _beat of [1, 2, 3]) {
      await silence(busy, 6_000);
      expect(await recoverLostWorkers(ctx, fence)).toEqual({ count: 0, more: false });
      expect((await renewWorker(ctx, busy, HEARTBEAT)).kind).toBe("renewed");
    }
    await silence(busy, 10_001);
    await recoverLostWorkers(ctx, fence);
    expect((await renewWorker(ctx, busy, HEARTBEAT)).kind).toBe("lapsed");
    const other = await register(group);
    const [second] = await claimReady(ctx, { worker: other, groups: [group], limit: 1 });
    if (!second) throw new Error("nobody took over");
    const end = (worker: WorkerLease, claimed: typeof first) => settle(ctx, { worker, reports: [reportOf(claimed)], free: {} });
    const [late, right] = await Promise.all([end(busy, first), end(other, second)]);
    expect([late, right].map(({ settlements }) => settlements[0]?.result)).toEqual(["superseded", "applied"]);
    expect((await attemptsOf(ctx, runId, "a")).map(({ outcome }) => outcome)).toEqual(["lost", "succeeded"]);
    await drive(ctx, other, { groups: [group] });
    expect((await runOf(ctx, next)).state).toBe("SUCCESS");
    expect(await brokenInvariants(database.sql, { runIds: [runId, next] })).toEqual([]);
  });

  it("that is killed outright gives its node up when its lease of ten seconds is over, however long the node may run (B49, IDM-3)", async () => {
    const fence = await makeFence(ctx);
    const group = "killed";
    const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group, timeout: "4h", deadline: "8h" })]));
    const killed = await register(group);
    await claimReady(ctx, { worker: killed, groups: [group], limit: 1 });
    await renewWorker(ctx, killed, HEARTBEAT);
    const [row] = await ctx.db.execute<{ left: number }>(
      sql`select extract(epoch from expires_at - clock_timestamp()) * 1000 as left from workers where id = ${killed.id}`,
    );
    expect(Number(row?.left)).toBeLessThanOrEqual(10_000);
    await silence(killed, 9_000);
    expect((await recoverLostWorkers(ctx, fence)).count).toBe(0);
    await silence(killed, 1_001);
    expect((await recoverLostWorkers(ctx, fence)).count).toBe(1);
    const other = await register(group);
    expect(await drive(ctx, other, { groups: [group] })).toEqual(["a"]);
    expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
  });

  it("runs its node under the key that the worker which takes over uses too, and one of two reports is accepted (B46, IDM-1, IDM-2)", async () => {
    const fence = await makeFence(ctx);
    const group = "blocked";
    const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group })]));
    const [blocked, other] = [await register(group), await register(group)];
    const [first] = await claimReady(ctx, { worker: blocked, groups: [group], limit: 1 });
    await silence(blocked, 30_000);
    await recoverLostWorkers(ctx, fence);
    const [second] = await claimReady(ctx, { worker: other, groups: [group], limit: 1 });
    if (!first || !second) throw new Error("nobody took over");
    expect(second).toMatchObject({ executionId: first.executionId, maybeRepeated: true });
    const ends = await Promise.all([
      settle(ctx, { worker: blocked, reports: [reportOf(first, { kind: "succeeded", output: "first" })], free: {} }),
      settle(ctx, { worker: other, reports: [reportOf(second, { kind: "succeeded", output: "second" })], free: {} }),
    ]);
    expect(ends.map(({ settlements }) => settlements[0]?.result)).toEqual(["superseded", "applied"]);
    expect(
      (await eventsOf(ctx, runId))
        .filter(({ event }) => event.endsWith("succeeded"))
        .map(({ event }) => event)
        .sort(),
    ).toEqual(["late.succeeded", "succeeded"]);
  });
});

describe("a hundred runs that miss their deadline in the same second", () => {
  it("are each ended and told of once, though three processes look at once (B41, EXC-2)", async () => {
    const fence = await makeFence(ctx);
    const group = "deadlines";
    const pipeline = await makePipeline(ctx, project, [node("a", [], { group }), node("b", ["a"], { group, join: "all_done" })]);
    const drafts = Array.from({ length: 100 }, () => draftOf(ctx, pipeline));
    const runIds = (await inTransaction(ctx, (tx) => createRuns(ctx, tx, drafts))).map(({ id }) => id);
    const worker = await register(group);
    await claimReady(ctx, { worker, groups: [group], limit: 100 });
    await ctx.db.execute(
      sql`update node_runs set deadline_at = clock_timestamp() - interval '10 seconds' where worker_group = ${group} and state = 'RUNNING'`,
    );
    const others = [1, 2, 3].map(() => testCtx(database.another().db));
    const looks = async (own: Ctx) => {
      let ended = 0;
      for (let found = await endOverdueDeadlines(own, fence); found.count > 0; found = await endOverdueDeadlines(own, fence))
        ended += found.count;
      return ended;
    };
    const ended = await Promise.all(others.map(looks));
    const rest = await looks(ctx);
    expect(ended.reduce((sum, each) => sum + each, rest)).toBe(100);
    const told = await ctx.db.select().from(errorEvents).where(eq(errorEvents.pipelineId, pipeline.pipelineId));
    expect(told.map(({ runId }) => runId).sort()).toEqual([...runIds].sort());
    expect(await statesOf(ctx, runIds[0] ?? "")).toEqual({ a: "TIMEOUT", b: "QUEUED" });
    expect(await brokenInvariants(database.sql, { runIds })).toEqual([]);
  });
});
