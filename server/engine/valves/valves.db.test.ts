import { and, desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { audit } from "@/db/schema/platform";
import { nodeRuns } from "@/db/schema/runs";
import { valveHolds, valves } from "@/db/schema/valves";
import { findForgottenGroups, findOverdueDeadlines } from "@/db/statements/state/recover";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { makeFence, makePipeline, makeWorker, nodesByKey, reportOf, runOf, startRun, statesOf } from "@/db/testing/runs";
import type { ClaimedNode } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { cancelNode } from "@/server/engine/runs/cancel-node";
import { claimReady } from "@/server/engine/runs/claim";
import { loadRun } from "@/server/engine/runs/load-run";
import { pauseRun } from "@/server/engine/runs/pause-run";
import { resumeRun } from "@/server/engine/runs/resume-run";
import { retryNode } from "@/server/engine/runs/retry-node";
import { RunMemory } from "@/server/engine/runs/run-memory";
import { settle } from "@/server/engine/runs/settle";
import { releaseValve, stopRelease } from "./change-valve";
import { closeValve } from "./close-valve";
import { countOpenValves, listHeldNodes, listValves } from "./list-valves";
import { releaseDue } from "./release-due";
import { settleValves } from "./settle-valves";

let database: TestDatabase;
let ctx: Ctx;
let operator: Ctx;
let project: { id: string };
let fence: Fence;
let now = new Date();
const ports = recordingPorts();
const reason = "the warehouse is closed";
const RUN = { task: "test.stop" };

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db, { ports });
  ctx = { ...ctx, clock: { ...ctx.clock, database: () => now } };
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  now = new Date();
  project = await makeProject(ctx);
  operator = actingAs(ctx, await makeUser(ctx, project, "operator"));
});
afterAll(() => database.close());

const groupName = () => `g-${ctx.ids.randomHex(4)}`;
const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1_000);
};
const stopTask = (task = RUN.task, as: Ctx = operator) => closeValve(as, { projectId: project.id, target: { kind: "task", task }, reason });
const stopNode = (pipelineId: string, key = "a") =>
  closeValve(operator, { projectId: project.id, target: { kind: "node", pipelineId, node: key }, reason });
const claim = async (group: string, limit = 20, memory?: RunMemory) => {
  const worker = await makeWorker(ctx, [group]);
  return { worker, claimed: await claimReady(ctx, { worker, groups: [group], limit, memory }) };
};

describe("a stop valve", () => {
  it("holds what is ready and whatever becomes ready later: nothing of the task starts after it, other tasks go on (RUN-12)", async () => {
    const group = groupName();
    const pipeline = await makePipeline(ctx, project, [node("a", [], { group, with: RUN }), node("b", [], { group })]);
    const before = await startRun(ctx, pipeline);
    const valve = await stopTask();
    const after = await startRun(ctx, pipeline);
    expect(valve).toMatchObject({ state: "closed", held: 1, reason });
    const { claimed } = await claim(group);
    expect(claimed.map(({ runId, key }) => `${runId}/${key}`).sort()).toEqual([`${before}/b`, `${after}/b`].sort());
    expect((await listValves(operator, { projectId: project.id })).items).toMatchObject([
      { no: valve.no, held: 2, by: expect.any(String) },
    ]);
    expect((await listHeldNodes(operator, { projectId: project.id, no: valve.no })).map(({ runId }) => runId)).toEqual([before, after]);
    expect((await loadRun(ctx, after)).nodes[0]?.waitsFor).toMatchObject({ kind: "valve", no: valve.no, reason });
    expect(await countOpenValves(operator, project.id)).toBeGreaterThanOrEqual(1);
  });

  it("stops one node of one pipeline and no other; a whole group, which an administrator alone may (RUN-12)", async () => {
    const group = groupName();
    const nodes = [node("a", [], { group }), node("b", [], { group })];
    const [stopped, free] = [await makePipeline(ctx, project, nodes), await makePipeline(ctx, project, nodes)];
    await stopNode(stopped.pipelineId);
    for (const pipeline of [stopped, free]) await startRun(ctx, pipeline);
    const { claimed } = await claim(group);
    expect(claimed.map(({ pipelineId, key }) => [pipelineId === free.pipelineId, key]).sort()).toEqual([
      [false, "b"],
      [true, "a"],
      [true, "b"],
    ]);
    const target = { kind: "group", group } as const;
    await expect(closeValve(operator, { projectId: project.id, target, reason })).rejects.toMatchObject({ code: "forbidden" });
    await closeValve(ctx, { projectId: project.id, target, reason });
    await startRun(ctx, free);
    expect((await claim(group)).claimed).toEqual([]);
  });

  for (const memory of [false, true]) {
    it(`keeps a worker from going on with what it stops in the commit that makes it ready, ${memory ? "by what it remembers" : "under locks"} (RUN-12)`, async () => {
      const group = groupName();
      const pipeline = await makePipeline(ctx, project, [node("a", [], { group }), node("b", ["a"], { group, with: RUN })]);
      const runId = await startRun(ctx, pipeline);
      const remembered = memory ? new RunMemory(() => performance.now()) : undefined;
      const { worker, claimed } = await claim(group, 1, remembered);
      const valve = await stopTask();
      const reports = [reportOf(claimed[0] as ClaimedNode)];
      const settled = await settle(ctx, { worker, reports, free: { [group]: 5 }, ...(remembered ? { memory: remembered } : {}) });
      expect([settled.settlements[0]?.result, settled.handedOn]).toEqual(["applied", []]);
      expect(await statesOf(ctx, runId)).toEqual({ a: "SUCCESS", b: "QUEUED" });
      expect((await nodesByKey(ctx, runId)).get("b")?.poolKey).toBe(`valve:${valve.no}`);
    });
  }

  it("is closed against whoever makes nodes ready at that moment: none of many gets past it (RUN-12)", async () => {
    const group = groupName();
    const pipeline = await makePipeline(ctx, project, [node("a", [], { group, with: RUN })]);
    const starting = Array.from({ length: 24 }, () => startRun(ctx, pipeline));
    const [valve] = await Promise.all([stopTask(), ...starting]);
    expect((await claim(group, 50)).claimed).toEqual([]);
    expect(await ctx.db.$count(valveHolds, eq(valveHolds.valveNo, valve.no))).toBe(24);
  });

  it("takes out the messages that wait for what it holds, with their count, and none where something else is ready (RUN-12)", async () => {
    const [alone, shared] = [groupName(), groupName()];
    const stopped = await makePipeline(ctx, project, [
      node("a", [], { group: alone }),
      node("b", [], { group: shared }),
      node("c", [], { group: shared }),
    ]);
    await startRun(ctx, stopped);
    ports.rung.push(alone, alone, shared);
    expect(await stopNode(stopped.pipelineId, "a")).toMatchObject({ purged: 2 });
    expect(await stopNode(stopped.pipelineId, "b")).toMatchObject({ purged: 0 });
    expect([ports.rung.includes(alone), ports.rung.includes(shared)]).toEqual([false, true]);
  });

  it("holds what is resumed from a pause, and what a person retries (RUN-12)", async () => {
    const group = groupName();
    const pipeline = await makePipeline(ctx, project, [node("a", [], { group, with: RUN })]);
    const runId = await startRun(ctx, pipeline);
    await pauseRun(operator, { runId, reason });
    await stopTask();
    await resumeRun(operator, { runId, reason });
    expect((await claim(group)).claimed).toEqual([]);
    await cancelNode(operator, { runId, key: "a", reason });
    expect((await nodesByKey(ctx, runId)).get("a")).toMatchObject({ state: "CANCELED", poolKey: "" });
    expect(await ctx.db.$count(valveHolds, eq(valveHolds.runId, runId))).toBe(0);
    await retryNode(operator, { runId, key: "a", reason });
    expect((await claim(group)).claimed).toEqual([]);
    expect(await statesOf(ctx, runId)).toEqual({ a: "QUEUED" });
  });

  it("keeps what it holds from its total deadline and from the loop of forgotten rings; both begin anew with the release (RUN-12, B73)", async () => {
    const group = groupName();
    const pipeline = await makePipeline(ctx, project, [node("a", [], { group, with: RUN })]);
    const runId = await startRun(ctx, pipeline);
    await makeWorker(ctx, [group]);
    const past = { deadlineAt: new Date(0), queuedAt: new Date(0) };
    await ctx.db.update(nodeRuns).set(past).where(eq(nodeRuns.runId, runId));
    const isOverdue = async () => (await findOverdueDeadlines(ctx.db, 0, 10_000)).some((found) => found.runId === runId);
    expect([await isOverdue(), (await findForgottenGroups(ctx.db, 1_000)).includes(group)]).toEqual([true, true]);
    const { no } = await stopTask();
    expect([await isOverdue(), (await findForgottenGroups(ctx.db, 1_000)).includes(group)]).toEqual([false, false]);
    const { seq } = await runOf(ctx, runId);
    await releaseValve(operator, { no, rate: 60, reason });
    await releaseDue(ctx, fence);
    expect((await nodesByKey(ctx, runId)).get("a")).toMatchObject({ poolKey: "", deadlineAt: null });
    expect((await runOf(ctx, runId)).seq).toBe(seq + 1);
  });

  it("is finished by the leader where its process died while it was being closed (RUN-12)", async () => {
    const group = groupName();
    const pipeline = await makePipeline(ctx, project, [node("a", [], { group, with: RUN })]);
    await startRun(ctx, pipeline);
    const row = {
      projectId: project.id,
      kind: "task",
      target: RUN.task,
      label: RUN.task,
      reason,
      closedBy: { kind: "user", id: "u", label: "u" },
    };
    await ctx.db.insert(valves).values({ ...row, state: "closing" });
    expect((await settleValves(ctx, fence)).count).toBe(1);
    expect((await listValves(operator, { projectId: project.id })).items[0]).toMatchObject({ state: "closed", held: 1 });
  });
});

describe("a release", () => {
  async function stopped(count: number, pool?: string) {
    const group = groupName();
    const pipeline = await makePipeline(ctx, project, [node("a", [], { group, with: RUN, ...(pool ? { pool } : {}) })]);
    const valve = await stopTask();
    const runIds: string[] = [];
    for (let n = 0; n < count; n++) runIds.push(await startRun(ctx, pipeline));
    return { group, no: valve.no, runIds };
  }
  const free = async (group: string) =>
    ctx.db.$count(nodeRuns, and(eq(nodeRuns.workerGroup, group), eq(nodeRuns.state, "QUEUED"), eq(nodeRuns.poolKey, "")));

  it("lets go at its rate, the oldest first, can be stopped and begun again, and ends the valve when nothing is held (RUN-12)", async () => {
    const { group, no, runIds } = await stopped(5);
    await releaseValve(operator, { no, rate: 60, reason });
    await releaseDue(ctx, fence);
    expect(await free(group)).toBe(1);
    await releaseDue(ctx, fence);
    expect(await free(group)).toBe(1);
    later(1);
    await releaseDue(ctx, fence);
    expect(await free(group)).toBe(2);
    expect((await claim(group)).claimed.map(({ runId }) => runId)).toEqual(runIds.slice(0, 2));
    expect(await stopRelease(operator, { no, reason })).toMatchObject({ state: "closed", held: 3, released: 2, rate: null });
    later(60);
    await releaseDue(ctx, fence);
    expect(await free(group)).toBe(0);
    await releaseValve(operator, { no, rate: 6_000, reason });
    later(1);
    await releaseDue(ctx, fence);
    expect(await free(group)).toBe(3);
    await releaseDue(ctx, fence);
    expect((await listValves(operator, { projectId: project.id, show: "ended" })).items).toMatchObject([
      { no, state: "ended", released: 5 },
    ]);
    expect(ports.rung).toContain(group);
    expect((await claim(group)).claimed).toHaveLength(3);
  });

  it("puts a node back under its pool, and under another valve that stops it too (RUN-12, RUN-5)", async () => {
    const { group, no, runIds } = await stopped(1, "dock");
    await closeValve(ctx, { projectId: project.id, target: { kind: "group", group }, reason });
    await releaseValve(operator, { no, rate: 60, reason });
    await releaseDue(ctx, fence);
    const key = (await nodesByKey(ctx, runIds[0] ?? "")).get("a")?.poolKey;
    expect(key).toMatch(/^valve:\d+$/);
    expect(key).not.toBe(`valve:${no}`);
    const [hold] = await ctx.db
      .select()
      .from(valveHolds)
      .where(eq(valveHolds.runId, runIds[0] ?? ""));
    expect(hold).toMatchObject({ poolKey: `pool:${project.id}:dock` });
  });

  it("is refused to a past leader, to who looked at an older valve, and to who may not; each deed is audited (RUN-12, AUD-2, SEC-3)", async () => {
    const { no } = await stopped(1);
    const viewer = actingAs(ctx, await makeUser(ctx, project, "viewer"));
    const stranger = actingAs(ctx, await makeUser(ctx, await makeProject(ctx), "admin"));
    await expect(releaseValve(viewer, { no, rate: 1, reason })).rejects.toMatchObject({ code: "forbidden" });
    await expect(releaseValve(stranger, { no, rate: 1, reason })).rejects.toMatchObject({ code: "not_found" });
    await expect(stopTask("other", viewer)).rejects.toMatchObject({ code: "forbidden" });
    await expect(stopTask()).rejects.toMatchObject({ code: "conflict" });
    await releaseValve(operator, { no, rate: 1, reason, revision: 1 });
    await expect(stopRelease(operator, { no, reason, revision: 1 })).rejects.toMatchObject({ code: "stale" });
    await expect(releaseDue(ctx, { ...fence, epoch: fence.epoch - 1 })).rejects.toMatchObject({ code: "stale" });
    await stopRelease(operator, { no, reason, revision: 2 });
    await expect(stopRelease(operator, { no, reason })).rejects.toMatchObject({ code: "illegal_transition" });
    const deeds = await ctx.db
      .select({ verb: audit.verb, reason: audit.reason })
      .from(audit)
      .where(and(eq(audit.projectId, project.id), eq(audit.objectKind, "valve")))
      .orderBy(desc(audit.seq));
    expect(deeds.map(({ verb }) => verb)).toEqual(["valve.stopRelease", "valve.release", "valve.close"]);
    expect(new Set(deeds.map((deed) => deed.reason))).toEqual(new Set([reason]));
  });
});
