import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "@/db/schema/platform";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type NodeInput, node } from "@/db/testing/plans";
import {
  attemptsOf,
  drive,
  eventsOf,
  executionOf,
  makePipeline,
  makeWorker,
  nodesByKey,
  reportOf,
  runOf,
  startRun,
  statesOf,
} from "@/db/testing/runs";
import type { Principal } from "@/server/domain/access/roles";
import type { WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { cancelNode } from "./cancel-node";
import { cancelRun } from "./cancel-run";
import { claimReady } from "./claim";
import { markSuccess } from "./mark-success";
import { pauseRun } from "./pause-run";
import { previewRerun } from "./preview-rerun";
import { rerunFrom } from "./rerun-from";
import { resumeRun } from "./resume-run";
import { retryNode } from "./retry-node";
import { settle } from "./settle";
import { skipNode } from "./skip-node";

let database: TestDatabase;
let root: Ctx;
let ctx: Ctx;
let ports: ReturnType<typeof recordingPorts>;
let project: { id: string };
let operator: Principal & { kind: "user" };
let group: string;
let worker: WorkerLease;
beforeAll(async () => {
  database = await openTestDatabase();
  ports = recordingPorts();
  root = testCtx(database.db, { ports });
  project = await makeProject(root);
  operator = await makeUser(root, project, "operator");
  ctx = actingAs(root, operator);
});
afterAll(() => database.close());

const readsA = { task: "test.work", input: { of: "{{ nodes.a.output }}" } };
const chain = (g: string) => [node("a", [], { group: g }), node("b", ["a"], { group: g, with: readsA }), node("c", ["b"], { group: g })];

async function begin(nodes: (group: string) => readonly NodeInput[] = chain): Promise<string> {
  group = `g-${ctx.ids.randomHex(4)}`;
  worker = await makeWorker(root, [group]);
  return startRun(root, await makePipeline(root, project, nodes(group)));
}

/** Runs everything that is ready; `broken` nodes fail for good. */
const run = (broken: readonly string[] = []) =>
  drive(root, worker, {
    groups: [group],
    end: ({ key }) => (broken.includes(key) ? { kind: "failed", retryable: false } : { kind: "succeeded", output: key }),
  });

const auditOf = (runId: string) =>
  root.db
    .select()
    .from(audit)
    .where(and(eq(audit.objectKind, "run"), eq(audit.objectId, runId)))
    .orderBy(audit.seq);

const reason = "the cause is gone";

describe("retry", () => {
  it("brings a PAUSED run to SUCCESS without running a finished node again (B69, RUN-3)", async () => {
    const runId = await begin();
    expect(await run(["b"])).toEqual(["a", "b"]);
    expect((await runOf(ctx, runId)).state).toBe("PAUSED");
    const before = (await nodesByKey(ctx, runId)).get("b");
    ports.rung.length = 0;
    const retried = await retryNode(ctx, { runId, key: "b", reason });
    expect(retried).toMatchObject({ runId, state: "RUNNING", changed: ["b"] });
    expect(ports.rung).toEqual([group]);
    expect(await run()).toEqual(["b", "c"]);
    expect(await statesOf(ctx, runId)).toEqual({ a: "SUCCESS", b: "SUCCESS", c: "SUCCESS" });
    expect(await runOf(ctx, runId)).toMatchObject({ state: "SUCCESS", seq: expect.any(Number) });
    expect(await attemptsOf(ctx, runId, "a")).toHaveLength(1);
    expect(
      (await attemptsOf(ctx, runId, "b")).map(({ generation, no, outcome, executionId }) => [generation, no, outcome, executionId]),
    ).toEqual([
      [1, 1, "failed", before?.executionId],
      [2, 1, "succeeded", before?.executionId],
    ]);
  });

  it("after all its retries are used up begins with a fresh budget (RTY-1)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g, retry: { retries: 1, delays: ["1ms"], jitter: [0, 0] } })]);
    await run(["a"]);
    await retryNode(ctx, { runId, key: "a", reason });
    expect((await nodesByKey(ctx, runId)).get("a")).toMatchObject({
      state: "QUEUED",
      generation: 2,
      attempts: 0,
      attemptNo: 0,
      errorCode: null,
    });
  });
});

describe("cancel", () => {
  it("of a run in flight supersedes what its worker still reports, and starts nothing more (B67, RUN-3)", async () => {
    const runId = await begin((g) => [...chain(g), node("x", [], { group: g })]);
    const claimed = await claimReady(root, { worker, groups: [group], limit: 1 });
    const canceled = await cancelRun(ctx, { runId, reason });
    expect(canceled.state).toBe("CANCELED");
    expect(await claimReady(root, { worker, groups: [group], limit: 5 })).toEqual([]);
    const { settlements, handedOn } = await settle(root, { worker, reports: claimed.map((each) => reportOf(each)), free: { [group]: 5 } });
    expect([settlements.map(({ result }) => result), handedOn]).toEqual([["superseded"], []]);
    expect(new Set(Object.values(await statesOf(ctx, runId)))).toEqual(new Set(["CANCELED"]));
    expect(await runOf(ctx, runId)).toMatchObject({ state: "CANCELED", cancelRequestedAt: expect.any(Date), endedAt: expect.any(Date) });
    expect((await attemptsOf(ctx, runId, claimed[0]?.key ?? "")).map(({ outcome }) => outcome)).toEqual(["canceled"]);
  });

  it("of one of three runs of a pipeline changes that run alone (B66)", async () => {
    const [pipeline, lease] = [await makePipeline(root, project, chain("three")), await makeWorker(root, ["three"])];
    const ids = [await startRun(root, pipeline), await startRun(root, pipeline), await startRun(root, pipeline)];
    await cancelRun(ctx, { runId: ids[1] ?? "", reason });
    await drive(root, lease, { groups: ["three"] });
    expect(await Promise.all(ids.map(async (id) => (await runOf(ctx, id)).state))).toEqual(["SUCCESS", "CANCELED", "SUCCESS"]);
  });

  it("races with claims and settles, and no node starts after its commit (RUN-3, B67)", async () => {
    const own = testCtx(database.another().db);
    for (let race = 0; race < 10; race++) {
      const runId = await begin((g) => Array.from({ length: 12 }, (_, n) => node(`n${n}`, n < 6 ? [] : [`n${n - 6}`], { group: g })));
      const working = drive(own, worker, { groups: [group], limit: 3, handOn: 3 });
      await cancelRun(ctx, { runId, reason });
      await working;
      expect((await runOf(ctx, runId)).state).toBe("CANCELED");
      const events = (await eventsOf(ctx, runId)).map(({ event }) => event);
      const after = events.slice(events.indexOf("run.cancelRequested"));
      expect(after.filter((event) => ["claimed", "handedOn", "ready", "succeeded"].includes(event))).toEqual([]);
    }
  });

  it("of one node leaves the others alone and the run waiting for a person (RUN-3)", async () => {
    const runId = await begin();
    await cancelNode(ctx, { runId, key: "a", reason });
    expect(await statesOf(ctx, runId)).toEqual({ a: "CANCELED", b: "PENDING", c: "PENDING" });
    expect((await runOf(ctx, runId)).state).toBe("PAUSED");
  });
});

describe("skip, mark success and rerun", () => {
  it("skip a node and go on (RUN-3)", async () => {
    const runId = await begin();
    await run(["a"]);
    await skipNode(ctx, { runId, key: "a", reason });
    expect(await run()).toEqual(["b", "c"]);
    expect(await statesOf(ctx, runId)).toEqual({ a: "SKIPPED", b: "SUCCESS", c: "SUCCESS" });
    expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
  });

  it("close an execution with the output that a person gives, which the next node reads (RUN-3, IDM-2)", async () => {
    const runId = await begin();
    await run(["a"]);
    await markSuccess(ctx, { runId, key: "a", reason, output: { rows: 7 } });
    const a = (await nodesByKey(ctx, runId)).get("a");
    expect(await executionOf(ctx, a?.executionId ?? "")).toMatchObject({ state: "COMPLETED", completedBy: "person", result: { rows: 7 } });
    expect(await claimReady(root, { worker, groups: [group], limit: 1 })).toMatchObject([{ key: "b", outputs: { a: { rows: 7 } } }]);
    await expect(markSuccess(ctx, { runId, key: "c", reason, output: "a\u0000" })).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("run again from a node as new executions that name the old ones (IDM-1)", async () => {
    const runId = await begin();
    await run();
    const before = await nodesByKey(ctx, runId);
    expect(await previewRerun(ctx, { runId, key: "b", action: "rerun-from" })).toMatchObject({
      kind: "possible",
      again: ["b", "c"],
      reused: ["a"],
    });
    await rerunFrom(ctx, { runId, key: "b", reason });
    expect(await run()).toEqual(["b", "c"]);
    const after = await nodesByKey(ctx, runId);
    expect(after.get("a")?.executionId).toBe(before.get("a")?.executionId);
    for (const key of ["b", "c"]) {
      const execution = await executionOf(ctx, after.get(key)?.executionId ?? "");
      expect(execution).toMatchObject({ state: "COMPLETED", replaces: before.get(key)?.executionId });
      expect(await executionOf(ctx, before.get(key)?.executionId ?? "")).toMatchObject({ state: "COMPLETED" });
    }
    expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
  });
});

describe("pause and resume", () => {
  it("hold every row, so that no claim takes one, and let go of them again (RUN-3)", async () => {
    const runId = await begin((g) => [node("a", [], { group: g }), node("b", ["a"], { group: g }), node("x", [], { group: g })]);
    const [first] = await claimReady(root, { worker, groups: [group], limit: 1 });
    await pauseRun(ctx, { runId, reason });
    expect(await claimReady(root, { worker, groups: [group], limit: 5 })).toEqual([]);
    if (first) await settle(root, { worker, reports: [reportOf(first)], free: { [group]: 5 } });
    expect(await claimReady(root, { worker, groups: [group], limit: 5 })).toEqual([]);
    expect((await runOf(ctx, runId)).state).toBe("PAUSED");
    ports.rung.length = 0;
    await resumeRun(ctx, { runId, reason });
    expect(ports.rung).toEqual([group]);
    await run();
    expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
  });
});

describe("who may and what is kept", () => {
  const interventions: Record<
    string,
    { verb: string; prepare: (runId: string) => Promise<unknown>; act: (as: Ctx, runId: string) => Promise<unknown> }
  > = {
    cancelRun: { verb: "run.cancel", prepare: async () => {}, act: (as, runId) => cancelRun(as, { runId, reason }) },
    pauseRun: { verb: "run.pause", prepare: async () => {}, act: (as, runId) => pauseRun(as, { runId, reason }) },
    resumeRun: {
      verb: "run.resume",
      prepare: (runId) => pauseRun(root, { runId, reason: "to be resumed" }),
      act: (as, runId) => resumeRun(as, { runId, reason }),
    },
    retryNode: { verb: "run.retryNode", prepare: () => run(["a"]), act: (as, runId) => retryNode(as, { runId, key: "a", reason }) },
    skipNode: { verb: "run.skipNode", prepare: () => run(["a"]), act: (as, runId) => skipNode(as, { runId, key: "a", reason }) },
    markSuccess: { verb: "run.markSuccess", prepare: () => run(["a"]), act: (as, runId) => markSuccess(as, { runId, key: "a", reason }) },
    rerunFrom: { verb: "run.rerunFrom", prepare: () => run(), act: (as, runId) => rerunFrom(as, { runId, key: "a", reason }) },
    cancelNode: { verb: "run.cancelNode", prepare: async () => {}, act: (as, runId) => cancelNode(as, { runId, key: "a", reason }) },
  };

  it.each(Object.entries(interventions))(
    "%s leaves exactly one audit row with actor, reason, before and after (AUD-2)",
    async (_name, each) => {
      const runId = await begin();
      await each.prepare(runId);
      const earlier = (await auditOf(runId)).length;
      await each.act(ctx, runId);
      const rows = (await auditOf(runId)).slice(earlier);
      expect(rows).toMatchObject([
        {
          verb: each.verb,
          actorKind: "user",
          actorId: operator.id,
          reason,
          before: { state: expect.any(String) },
          after: { state: expect.any(String) },
        },
      ]);
      const events = await eventsOf(ctx, runId);
      expect(events.filter(({ actor }) => actor.id === operator.id).length).toBeGreaterThan(0);
    },
  );

  it.each(Object.entries(interventions))(
    "%s is refused to a viewer and to a stranger, and changes nothing (AUD-1)",
    async (_name, each) => {
      const runId = await begin();
      await each.prepare(runId);
      const [events, rows] = [await eventsOf(ctx, runId), await auditOf(runId)];
      const viewer = actingAs(root, await makeUser(root, project, "viewer"));
      const stranger = actingAs(root, await makeUser(root, await makeProject(root), "admin"));
      await expect(each.act(viewer, runId)).rejects.toMatchObject({ code: "forbidden" });
      await expect(each.act(stranger, runId)).rejects.toMatchObject({ code: "not_found" });
      await expect(each.act(actingAs(root, { kind: "anonymous" }), runId)).rejects.toMatchObject({ code: "unauthenticated" });
      expect([await eventsOf(ctx, runId), await auditOf(runId)]).toEqual([events, rows]);
    },
  );

  it("refuses what the state does not allow, and says what is possible (RUN-3)", async () => {
    const runId = await begin();
    await run();
    await expect(retryNode(ctx, { runId, key: "a", reason })).rejects.toMatchObject({
      code: "illegal_transition",
      message: expect.stringMatching(/node "a" is SUCCESS.*possible now: rerun-from/),
      details: { state: "SUCCESS", possible: ["rerun-from"] },
    });
    await expect(cancelRun(ctx, { runId, reason })).rejects.toMatchObject({ code: "illegal_transition", details: { state: "SUCCESS" } });
    await expect(retryNode(ctx, { runId, key: "nowhere", reason })).rejects.toMatchObject({ code: "not_found" });
    await expect(cancelRun(ctx, { runId: ctx.ids.uuid(), reason })).rejects.toMatchObject({ code: "not_found" });
    expect(await auditOf(runId)).toEqual([]);
  });

  it("wants a reason, and refuses a decision on a run that has moved since it was seen (RUN-3)", async () => {
    const runId = await begin();
    for (const bad of ["", "   ", "x".repeat(501), "a\u0000b"]) await expect(cancelRun(ctx, { runId, reason: bad })).rejects.toThrow();
    const { seq } = await runOf(ctx, runId);
    await run(["b"]);
    await expect(cancelRun(ctx, { runId, reason, expectedSeq: seq })).rejects.toMatchObject({ code: "stale" });
    const seen = (await runOf(ctx, runId)).seq;
    expect(await cancelRun(ctx, { runId, reason, expectedSeq: seen })).toMatchObject({ state: "CANCELED", seq: seen + 1 });
    expect((await runOf(ctx, runId)).seq).toBe(seen + 1);
  });
});
