import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node, waitNode } from "@/db/testing/plans";
import { drive, type MadePipeline, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import { appendLogs } from "@/server/engine/attempts/append-logs";
import type { Ctx } from "@/server/engine/context";
import { listRuns } from "./list-runs";
import { loadAttempt } from "./load-attempt";
import { loadLogs } from "./load-logs";
import { loadRun } from "./load-run";
import { previewRerun } from "./preview-rerun";
import { listRunEvents } from "./run-events";

let database: TestDatabase;
let ctx: Ctx;
let viewer: Ctx;
let stranger: Ctx;
let project: { id: string };
let pipeline: MadePipeline;
let runId: string;
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  project = await makeProject(ctx);
  viewer = actingAs(ctx, await makeUser(ctx, project, "viewer"));
  stranger = actingAs(ctx, await makeUser(ctx, await makeProject(ctx), "admin"));
  pipeline = await makePipeline(ctx, project, [node("a", [], { title: "First" }), node("b", ["a"]), waitNode("w", ["a"], { for: "1h" })]);
  runId = await startRun(ctx, pipeline);
  await drive(ctx, await makeWorker(ctx), {
    end: ({ key }) => (key === "b" ? { kind: "failed", retryable: false } : { kind: "succeeded", output: { n: 1 } }),
  });
});
afterAll(() => database.close());

describe("a run with large outputs", () => {
  it("is shown without them, marked, and each attempt has them whole when it is asked for (B82, OBS-2)", async () => {
    const keys = ["big", "small", ...Array.from({ length: 90 }, (_, n) => `m${n}`)];
    const own = await makeProject(ctx);
    const reader = actingAs(ctx, await makeUser(ctx, own, "viewer"));
    const wide = await makePipeline(
      ctx,
      own,
      keys.map((key) => node(key)),
    );
    const id = await startRun(ctx, wide);
    const outputs = new Map(
      keys.map((key) => [key, key === "big" ? "x".repeat(100_000) : key === "small" ? "s" : key.repeat(20_000).slice(0, 50_000)]),
    );
    await drive(ctx, await makeWorker(ctx), { end: ({ key }) => ({ kind: "succeeded", output: outputs.get(key) }), limit: 100 });
    const view = await loadRun(reader, id);
    const find = (key: string) => view.nodes.find((each) => each.key === key);
    expect(find("big")).toMatchObject({ output: null, outputOmitted: true, attempts: [{ output: null, bodiesOmitted: true }] });
    expect(JSON.stringify(view).length).toBeLessThan(10_000_000);
    expect(view.nodes.some(({ outputOmitted }) => !outputOmitted)).toBe(true);
    expect(view.nodes.filter(({ outputOmitted }) => outputOmitted).length).toBeGreaterThan(5);
    for (const { key, output, outputOmitted, attempts } of view.nodes) {
      expect(output).toBe(outputOmitted ? null : outputs.get(key));
      expect(attempts[0]?.output).toBe(attempts[0]?.bodiesOmitted ? null : outputs.get(key));
    }
    const place = { runId: id, key: "big", generation: 1, no: 1 };
    const whole = { output: outputs.get("big"), accepted: outputs.get("big"), inputs: { of: "big" }, response: { status: 200 } };
    expect(await loadAttempt(reader, place)).toEqual(whole);
    await expect(loadAttempt(reader, { ...place, no: 2 })).rejects.toMatchObject({ code: "not_found" });
    await expect(loadAttempt(stranger, place)).rejects.toMatchObject({ code: "not_found" });
    expect((await loadRun(viewer, runId)).nodes[0]).toMatchObject({
      output: { n: 1 },
      outputOmitted: false,
      attempts: [{ bodiesOmitted: false }],
    });
  });
});

describe("a run as it is shown", () => {
  it("has its nodes, edges, attempts with their five instants, outputs and what is possible (OBS-2, RUN-8)", async () => {
    const view = await loadRun(viewer, runId);
    expect(view).toMatchObject({
      id: runId,
      state: "RUNNING",
      pipeline: { id: pipeline.pipelineId, name: pipeline.name },
      version: { id: pipeline.versionId, no: 1 },
      trigger: { kind: "manual", scheduledAt: null },
      possible: ["cancel", "pause"],
      edges: [
        { from: "a", to: "b" },
        { from: "a", to: "w" },
      ],
    });
    expect(view.nodes.map(({ key, state, title }) => [key, state, title])).toEqual([
      ["a", "SUCCESS", "First"],
      ["b", "FAILED", null],
      ["w", "RUNNING", null],
    ]);
    const [a, b, w] = view.nodes;
    expect(a).toMatchObject({ output: { n: 1 }, completedBy: "worker", error: null, possible: ["rerun-from"] });
    expect(a?.attempts[0]).toMatchObject({
      state: "SUCCESS",
      times: {
        queuedAt: expect.any(Date),
        dispatchedAt: expect.any(Date),
        pickedUpAt: expect.any(Date),
        executingAt: expect.any(Date),
        committedAt: expect.any(Date),
      },
      worker: { fingerprint: { cpu: "test" } },
    });
    expect(b).toMatchObject({
      error: { code: "TEST_STEP_BROKEN_500" },
      output: null,
      attempts: [{ state: "FAILED", refs: { a: a?.executionId } }],
    });
    expect(w).toMatchObject({ times: { dueAt: expect.any(Date) }, attempts: [{ state: "RUNNING", worker: null }] });
  });

  it("does not exist for whoever has no role in its project, in any read (AUD-1)", async () => {
    const reads = [
      () => loadRun(stranger, runId),
      () => listRunEvents(stranger, { runId }),
      () => loadLogs(stranger, { runId, key: "a" }),
      () => previewRerun(stranger, { runId, key: "a", action: "rerun-from" }),
      () => listRuns(stranger, { projectId: project.id }),
      () => loadRun(viewer, ctx.ids.uuid()),
    ];
    for (const read of reads) await expect(read()).rejects.toMatchObject({ code: "not_found" });
    await expect(loadRun(actingAs(ctx, { kind: "anonymous" }), runId)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it("tells its events in order, page by page, without gap or repeat (RUN-9)", async () => {
    const all = await listRunEvents(viewer, { runId, limit: 200 });
    expect(all.nextCursor).toBeNull();
    expect(all.items[0]).toMatchObject({ event: "run.created", to: "PENDING" });
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listRunEvents(viewer, { runId, limit: 3, ...(cursor ? { cursor } : {}) });
      paged.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(paged).toEqual(all.items.map(({ id }) => id));
  });
});

describe("the list of runs", () => {
  it("is newest first, filtered, and pages without gap while runs come (OBS-1)", async () => {
    const other = await makePipeline(ctx, project, [node("x", [], { group: "idle" })]);
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push(await startRun(ctx, other));
    const first = await listRuns(viewer, { projectId: project.id, pipeline: other.name, limit: 2 });
    expect(first.items.map(({ id }) => id)).toEqual([ids[4], ids[3]]);
    const meanwhile = await startRun(ctx, other);
    const second = await listRuns(viewer, { projectId: project.id, pipeline: other.pipelineId, limit: 5, cursor: first.nextCursor ?? "" });
    expect(second.items.map(({ id }) => id)).toEqual([ids[2], ids[1], ids[0]]);
    expect(second.nextCursor).toBeNull();
    expect(first.items[0]).toMatchObject({ state: "RUNNING", nodes: { QUEUED: 1 }, pipeline: { name: other.name }, versionNo: 1 });
    const all = await listRuns(viewer, { projectId: project.id });
    expect(all.items.map(({ id }) => id)).toContain(meanwhile);
    expect((await listRuns(viewer, { projectId: project.id, state: ["SUCCESS"] })).items).toEqual([]);
    expect((await listRuns(viewer, { projectId: project.id, pipeline: "no-such" })).items).toEqual([]);
    await expect(listRuns(viewer, { projectId: project.id, limit: 201 })).rejects.toThrow();
  });
});

describe("logs", () => {
  const line = (text: string) => ({ at: "2026-03-01T00:00:00.000Z", stream: "stdout", text }) as const;
  const chunk = (n: number, attempt = 1) => ({
    runId,
    key: "a",
    generation: 1,
    attemptNo: attempt,
    chunk: n,
    lines: [line(`line ${n}`)],
    bytes: 6,
  });

  it("store a chunk once, and read the end, what came after and what was before (OBS-2)", async () => {
    await appendLogs(
      ctx,
      [0, 1, 2, 3, 4].map((n) => chunk(n)),
    );
    await appendLogs(ctx, [chunk(4), { ...chunk(5), lines: [line("nul \u0000 and half \ud83d")] }]);
    const numbers = (view: { chunks: readonly { chunk: number }[] }) => view.chunks.map((each) => each.chunk);
    const tail = await loadLogs(viewer, { runId, key: "a", tail: 2 });
    expect([numbers(tail), tail.olderExist, tail.ended]).toEqual([[4, 5], true, true]);
    expect(tail.chunks[1]?.lines[0]?.text).toBe("nul ␀ and half \ufffd");
    const older = await loadLogs(viewer, { runId, key: "a", before: 4, tail: 10 });
    expect([numbers(older), older.olderExist, older.ended]).toEqual([[0, 1, 2, 3], false, false]);
    const live = await loadLogs(viewer, { runId, key: "a", after: 3, tail: 1 });
    expect([numbers(live), live.olderExist, live.ended]).toEqual([[4], true, false]);
    const rest = await loadLogs(viewer, { runId, key: "a", after: 5 });
    expect([numbers(rest), rest.ended]).toEqual([[], true]);
    await expect(loadLogs(viewer, { runId, key: "a", attempt: 9 })).rejects.toMatchObject({ code: "not_found" });
  });
});
