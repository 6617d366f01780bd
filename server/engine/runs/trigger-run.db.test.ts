import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pipelines } from "@/db/schema/pipelines";
import { audit } from "@/db/schema/platform";
import { executions, runs } from "@/db/schema/runs";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { node } from "@/db/testing/plans";
import { draftOf, drive, makeFence, makePipeline, makeWorker, nodesByKey, runOf, startRun, statesOf } from "@/db/testing/runs";
import { openScene, type Scene } from "@/db/testing/scene";
import { inTransaction } from "@/server/engine/context";
import { createTurnNet } from "./activate-waiting-runs";
import { cancelRun } from "./cancel-run";
import { createRuns } from "./create-run";
import { pauseRun } from "./pause-run";
import { rerunRun } from "./rerun-run";
import { resumeRun } from "./resume-run";
import { retryNode } from "./retry-node";
import { triggerRun } from "./trigger-run";

let { database, ports, project, root, ctx } = {} as Scene;
beforeAll(async () => {
  ({ database, ports, project, root, ctx } = await openScene("operator"));
});
afterAll(() => database.close());

const group = () => `g-${root.ids.randomHex(4)}`;
const idsOf = (pipelineId: string) => root.db.select({ id: runs.id }).from(runs).where(eq(runs.pipelineId, pipelineId));

describe("trigger", () => {
  it("starts a run of the live version, by name or id, and rings for its roots (RUN-1, ECO-1)", async () => {
    const own = group();
    const pipeline = await makePipeline(root, project, [node("a", [], { group: own })]);
    ports.rung.length = 0;
    const byName = await triggerRun(ctx, { projectId: project.id, pipeline: pipeline.name, kind: "manual" });
    const byId = await triggerRun(ctx, { projectId: project.id, pipeline: pipeline.pipelineId, kind: "api" });
    expect(ports.rung).toEqual([own, own]);
    expect(await runOf(ctx, byName.id)).toMatchObject({
      state: "RUNNING",
      versionNo: 1,
      triggerKind: "manual",
      versionId: pipeline.versionId,
    });
    expect(await runOf(ctx, byId.id)).toMatchObject({ triggerKind: "api", actor: { kind: "user" } });
    const rows = await root.db.select().from(audit).where(eq(audit.objectId, byName.id));
    expect(rows).toMatchObject([{ verb: "run.trigger", after: { pipelineId: pipeline.pipelineId } }]);
  });

  it("gives each node an execution of its own that lies in the month of the run (IDM-1, STO-1)", async () => {
    const pipeline = await makePipeline(root, project, [node("a"), node("b", ["a"])]);
    const { id } = await triggerRun(ctx, { projectId: project.id, pipeline: pipeline.name, kind: "manual" });
    const ids = [...(await nodesByKey(ctx, id)).values()].map(({ executionId }) => executionId);
    expect(new Set(ids).size).toBe(2);
    for (const executionId of ids) expect(executionId.slice(0, 13)).toBe(id.slice(0, 13));
    const registered = await root.db.select().from(executions).where(eq(executions.runId, id));
    expect(registered.map(({ state, token }) => [state, token])).toEqual([
      ["REGISTERED", 0],
      ["REGISTERED", 0],
    ]);
  });

  it("is one run for one idempotency key, however often and however many at once (ECO-1)", async () => {
    const pipeline = await makePipeline(root, project, [node("a")], { params: { day: { type: "string", default: "" } } });
    const request = { projectId: project.id, pipeline: pipeline.name, params: { day: "x" }, idempotencyKey: "key-1", kind: "api" } as const;
    const started = await Promise.all(Array.from({ length: 6 }, () => triggerRun(ctx, request)));
    expect(new Set(started.map(({ id }) => id)).size).toBe(1);
    expect(started.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(await triggerRun(ctx, request)).toMatchObject({ id: started[0]?.id, repeated: true });
    await expect(triggerRun(ctx, { ...request, params: { day: "y" } })).rejects.toMatchObject({ code: "conflict" });
    expect(await idsOf(pipeline.pipelineId)).toHaveLength(1);
  });

  it("answers a repeat as the first time, though its pipeline was disabled, archived or deleted since (ECO-1, invariant 30)", async () => {
    for (const [n, set] of [{ enabled: false }, { archivedAt: new Date() }, { deletedAt: new Date(), enabled: false }].entries()) {
      const pipeline = await makePipeline(root, project, [node("a")]);
      const request = { projectId: project.id, pipeline: pipeline.name, idempotencyKey: `key-gone-${n}`, kind: "api" } as const;
      const first = await triggerRun(ctx, request);
      await root.db.update(pipelines).set(set).where(eq(pipelines.id, pipeline.pipelineId));
      expect(await triggerRun(ctx, request)).toMatchObject({ id: first.id, repeated: true });
      expect(await triggerRun(ctx, { ...request, pipeline: pipeline.pipelineId })).toMatchObject({ id: first.id, repeated: true });
      await expect(triggerRun(ctx, { ...request, pipeline: "another" })).rejects.toMatchObject({ code: "conflict" });
      await expect(triggerRun(ctx, { ...request, idempotencyKey: `fresh-${n}` })).rejects.toThrow();
      expect(await idsOf(pipeline.pipelineId)).toHaveLength(1);
    }
  });

  it("takes a key back when its run is refused, so that the corrected request may use it (ECO-1)", async () => {
    const pipeline = await makePipeline(root, project, [node("a")], { params: { n: { type: "integer" } } });
    const request = { projectId: project.id, pipeline: pipeline.name, idempotencyKey: "key-2", kind: "api" } as const;
    await expect(triggerRun(ctx, request)).rejects.toMatchObject({ code: "invalid_input", issues: [{ path: "params.n" }] });
    expect(await triggerRun(ctx, { ...request, params: { n: 1 } })).toMatchObject({ repeated: false });
  });

  it("fills in defaults and picks the business keys (PIP-1)", async () => {
    const spec = {
      params: { day: { type: "string", default: "today" }, order_id: { type: "integer" } },
      businessKeys: ["order_id"],
    } as const;
    const pipeline = await makePipeline(root, project, [node("a")], { ...spec, businessKeys: [...spec.businessKeys] });
    const { id } = await triggerRun(ctx, { projectId: project.id, pipeline: pipeline.name, params: { order_id: 12 }, kind: "manual" });
    expect(await runOf(ctx, id)).toMatchObject({ params: { day: "today", order_id: 12 }, businessKeys: { order_id: "12" } });
  });

  it("refuses what is disabled, archived, deleted, unpublished or of another project (AUD-1)", async () => {
    const make = async (set: Partial<typeof pipelines.$inferInsert>) => {
      const pipeline = await makePipeline(root, project, [node("a")]);
      await root.db.update(pipelines).set(set).where(eq(pipelines.id, pipeline.pipelineId));
      return pipeline.name;
    };
    const start = (name: string, as = ctx, projectId = project.id) => triggerRun(as, { projectId, pipeline: name, kind: "manual" });
    await expect(start(await make({ enabled: false }))).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringContaining("disabled"),
    });
    await expect(start(await make({ archivedAt: new Date() }))).rejects.toMatchObject({ code: "unprocessable" });
    await expect(start(await make({ liveVersionId: null }))).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringContaining("publish"),
    });
    await expect(start(await make({ deletedAt: new Date() }))).rejects.toMatchObject({ code: "not_found" });
    const other = await makeProject(root);
    const name = await make({ enabled: true });
    await expect(start(name, root, other.id)).rejects.toMatchObject({ code: "not_found" });
    await expect(start(name, actingAs(root, await makeUser(root, project, "viewer")))).rejects.toMatchObject({ code: "forbidden" });
    await expect(start(name, actingAs(root, await makeUser(root, other, "admin")))).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a whole run once more", () => {
  it("is a new run of the same version with the same params, and names the one it repeats (RUN-3, AUD-2)", async () => {
    const pipeline = await makePipeline(root, project, [node("a")], { params: { day: { type: "string" } } });
    const first = await triggerRun(ctx, { projectId: project.id, pipeline: pipeline.name, params: { day: "x" }, kind: "manual" });
    const again = await rerunRun(ctx, { runId: first.id, reason: "once more" });
    expect(await runOf(ctx, again.id)).toMatchObject({
      rerunOf: first.id,
      triggerKind: "rerun",
      versionId: pipeline.versionId,
      params: { day: "x" },
    });
    const rows = await root.db.select().from(audit).where(eq(audit.objectId, again.id));
    expect(rows).toMatchObject([{ verb: "run.rerun", reason: "once more", before: { runId: first.id } }]);
    const viewer = actingAs(root, await makeUser(root, project, "viewer"));
    await expect(rerunRun(viewer, { runId: first.id, reason: "once more" })).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("concurrency of a pipeline", () => {
  it("lets at most so many runs be active, however many are triggered at once, and the rest in order (RUN-5, B56)", async () => {
    const own = group();
    const pipeline = await makePipeline(root, project, [node("a", [], { group: own })], { concurrency: 2 });
    const others = [testCtx(database.another().db), testCtx(database.another().db)].map((each) => actingAs(each, ctx.principal));
    const started = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        triggerRun(others[n % 2] ?? ctx, { projectId: project.id, pipeline: pipeline.name, kind: "manual" }),
      ),
    );
    expect(started.filter(({ state }) => state === "RUNNING")).toHaveLength(2);
    const worker = await makeWorker(root, [own]);
    expect(await drive(root, worker, { groups: [own], limit: 1 })).toHaveLength(8);
    for (const { id } of started) expect((await runOf(ctx, id)).state).toBe("SUCCESS");
    const begun = await root.db.select().from(runs).where(eq(runs.pipelineId, pipeline.pipelineId)).orderBy(runs.startedAt, runs.id);
    const waited = begun.slice(2).map(({ id }) => id);
    expect(waited).toEqual([...waited].sort());
  });

  it("gives the next turn after a cancel, and the leader's loop gives one that was missed (B56)", async () => {
    const own = group();
    const pipeline = await makePipeline(root, project, [node("a", [], { group: own })], { concurrency: 1 });
    const [first, second, third] = [await startRun(root, pipeline), await startRun(root, pipeline), await startRun(root, pipeline)];
    const states = async () => Promise.all([first, second, third].map(async (id) => (await runOf(ctx, id)).state));
    expect(await states()).toEqual(["RUNNING", "PENDING", "PENDING"]);
    await cancelRun(ctx, { runId: first, reason: "stop" });
    expect(await states()).toEqual(["CANCELED", "RUNNING", "PENDING"]);
    // As if the process had died between the run's end and the next one's turn.
    await database.sql`update runs set state = 'CANCELED' where id = ${second}`;
    const fence = await makeFence(root);
    expect((await createTurnNet()(root, fence)).count).toBe(1);
    expect(await states()).toEqual(["CANCELED", "CANCELED", "RUNNING"]);
    expect((await createTurnNet()(root, fence)).count).toBe(0);
  });

  it("counts a run that a person brings back: never one more than the limit, however many try at once (B26, invariant 10)", async () => {
    const own = group();
    const pipeline = await makePipeline(root, project, [node("a", [], { group: own })], { concurrency: 2, onFailure: "fail" });
    const worker = await makeWorker(root, [own]);
    const ids = await Promise.all(Array.from({ length: 4 }, () => startRun(root, pipeline)));
    await drive(root, worker, { groups: [own], end: () => ({ kind: "failed", retryable: false }) });
    for (const id of ids) expect((await runOf(ctx, id)).state).toBe("FAILED");
    const others = [testCtx(database.another().db), testCtx(database.another().db)].map((each) => actingAs(each, ctx.principal));
    const retried = await Promise.allSettled(
      ids.map((runId, n) => retryNode(others[n % 2] ?? ctx, { runId, key: "a", reason: "the cause is gone" })),
    );
    expect(retried.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    const refused = retried.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
    expect(refused[0]).toMatchObject({ code: "conflict", message: expect.stringContaining("allows 2 runs at once and 2 are active") });
    await drive(root, worker, { groups: [own] });
    for (const id of ids) await retryNode(ctx, { runId: id, key: "a", reason: "the turn is free" }).catch(() => null);
    await drive(root, worker, { groups: [own] });
    for (const id of ids) expect((await runOf(ctx, id)).state).toBe("SUCCESS");
  });

  it("keeps a waiting run that a person pauses out of the line until its resume (RUN-3)", async () => {
    const pipeline = await makePipeline(root, project, [node("a")], { concurrency: 1 });
    const [first, second] = [await startRun(root, pipeline), await startRun(root, pipeline)];
    await pauseRun(ctx, { runId: second, reason: "wait" });
    await cancelRun(ctx, { runId: first, reason: "stop" });
    expect((await runOf(ctx, second)).state).toBe("PAUSED");
    await resumeRun(ctx, { runId: second, reason: "go" });
    expect((await runOf(ctx, second)).state).toBe("PENDING");
    await createTurnNet()(root, await makeFence(root));
    expect(await statesOf(ctx, second)).toEqual({ a: "QUEUED" });
  });

  it("looks behind the pipelines that are full: the net goes on where its last sweep ended (B56, RUN-5)", async () => {
    const made = [];
    for (let n = 0; n < 3; n++) made.push(await makePipeline(root, project, [node("a")], { concurrency: 1 }));
    const runsOf = [];
    for (const pipeline of made) runsOf.push([await startRun(root, pipeline), await startRun(root, pipeline)]);
    const [, , [first = "", second = ""] = []] = runsOf;
    // As if the process had died between the run's end and the next one's turn.
    await database.sql`update runs set state = 'CANCELED' where id = ${first}`;
    const net = createTurnNet();
    const fence = await makeFence(root);
    const waiting = await database.sql`select distinct pipeline_id from runs where state = 'PENDING'`;
    expect(waiting.length).toBeGreaterThanOrEqual(3);
    for (let sweep = 0; sweep < waiting.length; sweep++) await net(root, fence, { limit: 1 });
    expect((await runOf(ctx, second)).state).toBe("RUNNING");
    expect((await runOf(ctx, runsOf[0]?.[1] ?? "")).state).toBe("PENDING");
  });

  it("gives a schedule its turn though a hundred runs queue behind another one before it (SCH-3)", async () => {
    const pipeline = await makePipeline(root, project, [node("a", [], { group: group() })]);
    const of = (scheduleId: string) =>
      draftOf(root, pipeline, {
        afterEarlier: true,
        trigger: { kind: "schedule", actor: { kind: "schedule", id: scheduleId, label: "timed" }, scheduleId, scheduledAt: new Date() },
      });
    const [busy, idle] = [root.ids.uuid(), root.ids.uuid()];
    const drafts = [of(idle), of(busy), ...Array.from({ length: 100 }, () => of(busy)), of(idle)];
    const created = await inTransaction(root, (tx) => createRuns(root, tx, drafts));
    const last = created.at(-1)?.id ?? "";
    expect((await runOf(ctx, last)).state).toBe("PENDING");
    await cancelRun(ctx, { runId: created[0]?.id ?? "", reason: "stop" });
    expect((await runOf(ctx, last)).state).toBe("RUNNING");
    expect((await runOf(ctx, created[2]?.id ?? "")).state).toBe("PENDING");
  });

  it("keeps a run of a queueing schedule behind its earlier ones, and lets other schedules pass (SCH-3)", async () => {
    const own = group();
    const pipeline = await makePipeline(root, project, [node("a", [], { group: own })]);
    const of = (scheduleId: string) =>
      ({
        afterEarlier: true,
        trigger: { kind: "schedule", actor: { kind: "schedule", id: scheduleId, label: "nightly" }, scheduleId, scheduledAt: new Date() },
      }) as const;
    const [nightly, hourly] = [root.ids.uuid(), root.ids.uuid()];
    const drafts = [of(nightly), of(nightly), of(hourly)].map((more) => draftOf(root, pipeline, more));
    const created = await inTransaction(root, (tx) => createRuns(root, tx, drafts));
    expect(created.map(({ state }) => state)).toEqual(["RUNNING", "PENDING", "RUNNING"]);
    await cancelRun(ctx, { runId: created[0]?.id ?? "", reason: "stop" });
    expect((await runOf(ctx, created[1]?.id ?? "")).state).toBe("RUNNING");
  });
});
