import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leases, platformEvents, workers } from "@/db/schema/platform";
import { errorEvents, nodeRuns } from "@/db/schema/runs";
import { makeProject, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type NodeInput, node, waitNode } from "@/db/testing/plans";
import {
  attemptsOf,
  drive,
  eventsOf,
  makeFence,
  makePipeline,
  makeWorker,
  nodesByKey,
  reportOf,
  runOf,
  startRun,
  statesOf,
} from "@/db/testing/runs";
import type { ClaimedNode, WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { createTurnNet } from "./activate-waiting-runs";
import { cancelRun } from "./cancel-run";
import { claimReady } from "./claim";
import { endElapsedWaits } from "./end-elapsed-waits";
import { endOverdueAttempts } from "./end-overdue-attempts";
import { endOverdueDeadlines } from "./end-overdue-deadlines";
import { revokedAttempts } from "./lost-attempts";
import { queueDueRetries } from "./queue-due-retries";
import type { Recover } from "./recover";
import { recoverLostWorkers } from "./recover-lost-workers";
import { ringForgotten } from "./ring-forgotten";
import { settle } from "./settle";

let database: TestDatabase;
let ctx: Ctx;
let ports: ReturnType<typeof recordingPorts>;
let project: { id: string };
let group: string;
let worker: WorkerLease;
let fence: Fence;
beforeAll(async () => {
  database = await openTestDatabase();
  ports = recordingPorts();
  ctx = testCtx(database.db, { ports });
  project = await makeProject(ctx);
  fence = await makeFence(ctx);
});
afterAll(() => database.close());

async function begin(nodes: (group: string) => readonly NodeInput[], spec: Parameters<typeof makePipeline>[3] = {}): Promise<string> {
  group = `g-${ctx.ids.randomHex(4)}`;
  worker = await makeWorker(ctx, [group]);
  return startRun(ctx, await makePipeline(ctx, project, nodes(group), spec));
}

async function claimOne(): Promise<ClaimedNode> {
  const [claimed] = await claimReady(ctx, { worker, groups: [group], limit: 1 });
  if (!claimed) throw new Error("nothing was ready");
  return claimed;
}

/** Moves an instant of a node into the past, as time would. */
const passBy = (runId: string, key: string, column: "due_at" | "timeout_at" | "deadline_at" | "queued_at", ms: number) =>
  ctx.db.execute(sql`update node_runs set ${sql.identifier(column)} = clock_timestamp() - ${ms} * interval '1 millisecond'
    where run_id = ${runId}::uuid and key = ${key}`);

const expire = (lease: WorkerLease) =>
  ctx.db.update(workers).set({ expiresAt: sql`clock_timestamp() - interval '1 second'` }).where(eq(workers.id, lease.id));

const codesOf = async (runId: string) =>
  (await ctx.db.select().from(errorEvents).where(eq(errorEvents.runId, runId)).orderBy(errorEvents.id)).map(({ code }) => code);

describe("a lost worker", () => {
  it("loses its nodes to others, with an error event and a mark that the effect may repeat (RUN-7, IDM-3)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g })]);
    const claimed = await claimOne();
    expect(await recoverLostWorkers(ctx, fence)).toEqual({ count: 0, more: false });
    await expire(worker);
    ports.rung.length = 0;
    expect(await recoverLostWorkers(ctx, fence)).toEqual({ count: 1, more: false });
    expect(ports.rung).toEqual([group]);
    expect((await nodesByKey(ctx, runId)).get("a")).toMatchObject({ state: "QUEUED", maybeRepeated: true, workerId: null });
    expect(await attemptsOf(ctx, runId, "a")).toMatchObject([{ outcome: "lost", errorCode: "APOLLO_WORKER_LOST_503" }]);
    expect(await codesOf(runId)).toEqual(["APOLLO_WORKER_LOST_503"]);
    expect(await recoverLostWorkers(ctx, fence)).toEqual({ count: 0, more: false });
    const other = await makeWorker(ctx, [group]);
    expect(await claimReady(ctx, { worker: other, groups: [group], limit: 1 })).toMatchObject([{ executionId: claimed.executionId }]);
  });

  it("is noticed too when the same name is alive again as another process (B48)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g })]);
    await claimOne();
    await ctx.db.update(workers).set({ bootId: ctx.ids.uuid(), epoch: 2 }).where(eq(workers.id, worker.id));
    expect((await recoverLostWorkers(ctx, fence)).count).toBe(1);
    expect(await statesOf(ctx, runId)).toEqual({ a: "QUEUED" });
  });

  it("counts in the retry budget, and a node that loses its workers too often goes to review (RUN-2, RTY-3)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g, retry: { retries: 1, delays: ["1s"] } })]);
    for (let loss = 1; loss <= 2; loss++) {
      await claimOne();
      await expire(worker);
      await recoverLostWorkers(ctx, fence);
      worker = await makeWorker(ctx, [group]);
    }
    expect((await nodesByKey(ctx, runId)).get("a")).toMatchObject({ state: "MANUAL_REVIEW", attempts: 2 });
    expect((await runOf(ctx, runId)).state).toBe("PAUSED");
  });

  it("does not bring a cancelled run back (B67)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g }), node("b", ["a"], { group: g })]);
    const claimed = await claimOne();
    await Promise.all([expire(worker), cancelRun(ctx, { runId, reason: "no longer wanted" })]);
    expect((await recoverLostWorkers(ctx, fence)).count).toBe(0);
    expect(await statesOf(ctx, runId)).toEqual({ a: "CANCELED", b: "CANCELED" });
    expect(await revokedAttempts(ctx, worker, [claimed])).toEqual([claimed]);
  });

  it("is told which of its attempts are no longer its own (B59)", async () => {
    await begin((g) => [node("a", [], { group: g }), node("b", [], { group: g })]);
    const [first, second] = await claimReady(ctx, { worker, groups: [group], limit: 2 });
    const held = [first, second].flatMap((each) => each ?? []).map(({ runId, key, token }) => ({ runId, key, token }));
    expect(await revokedAttempts(ctx, worker, held)).toEqual([]);
    if (first) await settle(ctx, { worker, reports: [reportOf(first)], free: {} });
    expect(await revokedAttempts(ctx, worker, held)).toEqual([held[0]]);
    expect(await revokedAttempts(ctx, { id: "somebody" }, held)).toEqual(held);
  });
});

describe("time", () => {
  it("queues a retry when it is due and not before (RTY-1)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g })]);
    await settle(ctx, { worker, reports: [reportOf(await claimOne(), { kind: "failed" })], free: {} });
    expect((await nodesByKey(ctx, runId)).get("a")).toMatchObject({ state: "RETRYING", attempts: 1 });
    expect((await queueDueRetries(ctx, fence)).count).toBe(0);
    await passBy(runId, "a", "due_at", 10);
    ports.rung.length = 0;
    expect((await queueDueRetries(ctx, fence)).count).toBe(1);
    expect(ports.rung).toEqual([group]);
    expect(await drive(ctx, worker, { groups: [group] })).toEqual(["a"]);
    expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
  });

  it("ends a wait and lets what needs it go on (RUN-1)", async () => {
    const runId = await begin((g) => [waitNode("pause", [], { for: "1h" }), node("b", ["pause"], { group: g })]);
    expect(await attemptsOf(ctx, runId, "pause")).toMatchObject([{ no: 1, outcome: null, workerId: null }]);
    expect((await endElapsedWaits(ctx, fence)).count).toBe(0);
    await passBy(runId, "pause", "due_at", 10);
    expect((await endElapsedWaits(ctx, fence)).count).toBe(1);
    expect(await statesOf(ctx, runId)).toEqual({ pause: "SUCCESS", b: "QUEUED" });
    expect(await attemptsOf(ctx, runId, "pause")).toMatchObject([{ outcome: "succeeded", committedAt: expect.any(Date) }]);
  });

  it("resolves the end of a wait from what came before it, and fails one that names no instant (RUN-1)", async () => {
    const until = { until: "{{ nodes.a.output.at }}" };
    const nodes = (g: string) => [node("a", [], { group: g }), waitNode("pause", ["a"], until), node("b", ["pause"], { group: g })];
    const good = await begin(nodes);
    await drive(ctx, worker, { groups: [group], end: () => ({ kind: "succeeded", output: { at: "2030-01-01T08:00:00+08:00" } }) });
    expect((await nodesByKey(ctx, good)).get("pause")).toMatchObject({ state: "RUNNING", dueAt: new Date("2030-01-01T00:00:00Z") });
    const bad = await begin(nodes);
    await drive(ctx, worker, { groups: [group], end: () => ({ kind: "succeeded", output: { at: "tomorrow" } }) });
    expect((await nodesByKey(ctx, bad)).get("pause")).toMatchObject({ state: "FAILED", errorCode: "APOLLO_WAIT_UNTIL_422" });
    expect((await runOf(ctx, bad)).state).toBe("PAUSED");
    expect((await eventsOf(ctx, bad)).filter(({ nodeKey }) => nodeKey === "pause").map(({ from, to }) => `${from}>${to}`)).toEqual([
      "PENDING>RUNNING",
      "RUNNING>FAILED",
    ]);
  });

  it("ends an attempt that its worker did not end, after a grace (RTY-3)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g })]);
    const claimed = await claimOne();
    await passBy(runId, "a", "timeout_at", 3_000);
    expect((await endOverdueAttempts(ctx, fence)).count).toBe(0);
    await passBy(runId, "a", "timeout_at", 6_000);
    expect((await endOverdueAttempts(ctx, fence)).count).toBe(1);
    expect((await nodesByKey(ctx, runId)).get("a")).toMatchObject({ state: "RETRYING", maybeRepeated: true });
    expect(await attemptsOf(ctx, runId, "a")).toMatchObject([{ outcome: "timed_out", errorCode: "APOLLO_NODE_TIMEOUT_504" }]);
    const { runId: id, key, token } = claimed;
    expect(await revokedAttempts(ctx, worker, [{ runId: id, key, token }])).toHaveLength(1);
  });

  it("ends all attempts together at the total deadline, with its reason (B73)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g, deadline: "1m" }), node("b", [], { group: g, deadline: "1m" })]);
    const claimed = await claimReady(ctx, { worker, groups: [group], limit: 2 });
    const b = claimed.find(({ key }) => key === "b");
    if (b) await settle(ctx, { worker, reports: [reportOf(b, { kind: "failed" })], free: {} });
    expect((await endOverdueDeadlines(ctx, fence)).count).toBe(0);
    await passBy(runId, "a", "deadline_at", 6_000);
    await passBy(runId, "b", "deadline_at", 1);
    expect((await endOverdueDeadlines(ctx, fence)).count).toBe(2);
    expect(await statesOf(ctx, runId)).toEqual({ a: "TIMEOUT", b: "TIMEOUT" });
    const ends = (await eventsOf(ctx, runId)).filter(({ to }) => to === "TIMEOUT");
    expect(ends.map(({ cause }) => cause)).toEqual(["total deadline", "total deadline"]);
    expect(await codesOf(runId)).toEqual(["TEST_STEP_BROKEN_500", "APOLLO_NODE_DEADLINE_504", "APOLLO_NODE_DEADLINE_504"]);
  });

  it("times nobody out who only waits for a worker (B55)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g, deadline: "1s" })]);
    await passBy(runId, "a", "queued_at", 3_600_000);
    expect((await endOverdueDeadlines(ctx, fence)).count).toBe(0);
    expect((await nodesByKey(ctx, runId)).get("a")?.deadlineAt).toBeNull();
  });

  it("rings again for a node that nobody took, if some worker serves its group (IDM-4)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g }), node("s", [], { group: "served-by-nobody" })]);
    ports.rung.length = 0;
    await ringForgotten(ctx, fence);
    expect(ports.rung).not.toContain(group);
    await passBy(runId, "a", "queued_at", 2_500);
    await passBy(runId, "s", "queued_at", 2_500);
    await ringForgotten(ctx, fence);
    expect(ports.rung).toContain(group);
    expect(ports.rung).not.toContain("served-by-nobody");
  });

  it("takes a bounded batch and says that there is more (RUN-7)", async () => {
    const keys = ["a", "b", "c"];
    const runId = await begin((g) => keys.map((key) => node(key, [], { group: g })));
    await claimReady(ctx, { worker, groups: [group], limit: 3 });
    await expire(worker);
    expect(await recoverLostWorkers(ctx, fence, { limit: 2 })).toEqual({ count: 2, more: true });
    expect(await recoverLostWorkers(ctx, fence, { limit: 2 })).toEqual({ count: 1, more: false });
    expect(Object.values(await statesOf(ctx, runId))).toEqual(["QUEUED", "QUEUED", "QUEUED"]);
  });
});

describe("a run that cannot be decided on", () => {
  it("holds up no other of its sweep, is told of once, and goes on when it is put right (RUN-7)", async () => {
    const pipeline = await makePipeline(ctx, project, [waitNode("w", [], { for: "1h" })]);
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await startRun(ctx, pipeline));
    for (const id of ids) await passBy(id, "w", "due_at", 10);
    const bad = ids[2] ?? "";
    await database.sql.unsafe(`
      create function refuse_one() returns trigger language plpgsql as $$
        begin raise exception 'this row is broken' using errcode = 'XX001'; end $$;
      create trigger refuse_one before update on node_runs for each row when (old.run_id = '${bad}') execute function refuse_one();`);
    const events = () => ctx.db.select().from(platformEvents).where(eq(platformEvents.code, "APOLLO_NODE_UNDECIDABLE_500"));
    expect(await endElapsedWaits(ctx, fence)).toEqual({ count: 4, more: false });
    expect(await Promise.all(ids.map(async (id) => (await runOf(ctx, id)).state === "SUCCESS"))).toEqual([true, true, false, true, true]);
    expect((await endElapsedWaits(ctx, fence)).count).toBe(0);
    expect(await events()).toMatchObject([{ data: { runId: bad, key: "w" }, message: expect.stringContaining("this row is broken") }]);
    await database.sql.unsafe("drop trigger refuse_one on node_runs; drop function refuse_one;");
    expect((await endElapsedWaits(ctx, fence)).count).toBe(1);
    expect((await runOf(ctx, bad)).state).toBe("SUCCESS");
  });
});

describe("a run that somebody holds", () => {
  it("is left for the next sweep, which decides on what it has become (RUN-7)", async () => {
    const pipeline = await makePipeline(ctx, project, [waitNode("w", [], { for: "1h" })]);
    const [held, other] = [await startRun(ctx, pipeline), await startRun(ctx, pipeline)];
    for (const id of [held, other]) await passBy(id, "w", "due_at", 10);
    await database.another().sql.begin(async (tx) => {
      await tx`update runs set seq = seq + 1 where id = ${held}`;
      expect(await endElapsedWaits(ctx, fence)).toEqual({ count: 1, more: false });
      expect((await runOf(ctx, other)).state).toBe("SUCCESS");
    });
    expect((await runOf(ctx, held)).state).toBe("RUNNING");
    expect((await endElapsedWaits(ctx, fence)).count).toBe(1);
    expect((await runOf(ctx, held)).state).toBe("SUCCESS");
  });
});

describe("a leader whose term is over", () => {
  it("is refused too when its lease has run out and nobody has taken it (SCH-7)", async () => {
    const own = await makeFence(ctx, "lapsed");
    await ctx.db.update(leases).set({ expiresAt: sql`clock_timestamp() - interval '1 millisecond'` }).where(eq(leases.name, own.name));
    await expect(queueDueRetries(ctx, own)).rejects.toMatchObject({ code: "stale" });
  });

  it("is refused every write of its loops (SCH-7)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g }), waitNode("w", [], { for: "1h" })]);
    await claimOne();
    await expire(worker);
    await passBy(runId, "w", "due_at", 10);
    await passBy(runId, "a", "timeout_at", 60_000);
    await passBy(runId, "a", "deadline_at", 60_000);
    const limited = await makePipeline(ctx, project, [node("x", [], { group })], { concurrency: 1 });
    await startRun(ctx, limited);
    await startRun(ctx, limited);
    const before = await eventsOf(ctx, runId);
    const stale = { name: fence.name, epoch: fence.epoch - 1 };
    const loops: Record<string, Recover> = {
      recoverLostWorkers,
      queueDueRetries,
      endElapsedWaits,
      endOverdueAttempts,
      endOverdueDeadlines,
      activateWaitingRuns: createTurnNet(),
      ringForgotten,
    };
    for (const [name, loop] of Object.entries(loops)) {
      await expect(loop(ctx, stale), name).rejects.toMatchObject({ code: "stale" });
    }
    expect(await eventsOf(ctx, runId)).toEqual(before);
    await ctx.db.delete(nodeRuns).where(eq(nodeRuns.runId, runId));
  });
});
