import { and, desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { audit } from "@/db/schema/platform";
import { errorEvents, runs } from "@/db/schema/runs";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { CODE_FACTS as facts } from "@/db/testing/mutations";
import { node } from "@/db/testing/plans";
import { drive, type MadePipeline, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import type { Ctx } from "@/server/engine/context";
import { approveCode } from "./approve-code";
import { changeCode } from "./change-code";
import { checkCodes, exportCodes } from "./check-codes";
import { listCodes } from "./list-codes";
import { listTriage } from "./list-triage";
import { loadCode } from "./load-code";
import { mapCode, unmapCode } from "./map-code";
import { proposeCode } from "./propose-code";
import { deprecateCode, withdrawCode } from "./retire-code";
import { setReviewers } from "./set-reviewers";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string; key: string };
let ann: Ctx;
let pipeline: MadePipeline;
const code = "TEST_STOCK_SHORTAGE_409";
const reason = "it is the same";

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
});
beforeEach(async () => {
  project = await makeProject(ctx);
  ann = await person("editor");
  pipeline = await makePipeline(ctx, project, [node("a")]);
});
afterAll(() => database.close());

const person = async (role: "operator" | "editor" | "admin" = "editor") => actingAs(ctx, await makeUser(ctx, project, role));
const at = () => ({ projectId: project.id });
const propose = (by: Ctx, of = code) => proposeCode(by, { ...at(), code: of, facts });
const approve = (by: Ctx, revision = 1) => approveCode(by, { ...at(), code, revision });
const lastAudit = async () => {
  const [row] = await ctx.db.select().from(audit).where(eq(audit.projectId, project.id)).orderBy(desc(audit.seq)).limit(1);
  return row;
};
async function registered(of = code): Promise<void> {
  await setReviewers(await person("admin"), { ...at(), reviewers: 0 });
  await propose(ann, of);
}

/** An event as an attempt's failure leaves it, days ago. */
async function event(more: { code?: string; message?: string; stackHash?: string | null; daysAgo?: number } = {}): Promise<string> {
  const runId = await startRun(ctx, pipeline);
  const { daysAgo = 0, ...rest } = more;
  await ctx.db.insert(errorEvents).values({
    ...{ runId, id: ctx.ids.uuid(), ...at(), pipelineId: pipeline.pipelineId, nodeKey: "a", generation: 1, attemptNo: 1, retryCount: 0 },
    ...{ executionId: ctx.ids.uuid(), code: "TEST_COMMAND_EXIT_3", message: "no stock of A-17", stackHash: "abc", traceId: "0".repeat(32) },
    ...{ ...rest, at: new Date(Date.now() - daysAgo * 86_400_000) },
  });
  return runId;
}

describe("a proposal", () => {
  it("is registered by the third of three others, each with an audit row (EXC-9)", async () => {
    expect(await propose(ann)).toMatchObject({ code, state: "proposed", revision: 1 });
    expect(await lastAudit()).toMatchObject({ verb: "code.propose", objectLabel: code });
    expect(await approve(await person())).toEqual({ state: "proposed", left: 2 });
    expect(await approve(await person())).toEqual({ state: "proposed", left: 1 });
    expect(await approve(await person("admin"))).toEqual({ state: "registered", left: 0 });
    expect(await lastAudit()).toMatchObject({ verb: "code.approve", after: { state: "registered", approvals: 3 } });
    const card = await loadCode(ann, { ...at(), code });
    expect(card).toMatchObject({ state: "registered", registeredAt: expect.any(Date), needed: 3 });
    expect(card.approvals).toHaveLength(3);
  });

  it("is approved by nobody twice, nor by its proposer, nor by a token (EXC-9)", async () => {
    await propose(ann);
    await expect(approve(ann)).rejects.toMatchObject({ code: "forbidden", details: { why: "own" } });
    const bo = await person();
    await approve(bo);
    await expect(approve(bo)).rejects.toMatchObject({ code: "conflict", details: { why: "twice" } });
    await expect(approve(ctx)).rejects.toMatchObject({ code: "forbidden", details: { why: "no_person" } });
    await expect(approve(await person("operator"))).rejects.toMatchObject({ code: "forbidden" });
    expect((await loadCode(ann, { ...at(), code })).approvals).toHaveLength(1);
  });

  it("loses its approvals with its wording, and what was read before is refused as stale (EXC-9)", async () => {
    await propose(ann);
    const bo = await person();
    await approve(bo);
    await changeCode(ann, { ...at(), code, revision: 1, facts: { ...facts, grade: "P0" } });
    await expect(approve(await person())).rejects.toMatchObject({ code: "stale" });
    await expect(changeCode(ann, { ...at(), code, revision: 1, facts })).rejects.toMatchObject({ code: "stale" });
    expect(await approve(bo, 2)).toEqual({ state: "proposed", left: 2 });
  });

  it("of two reviewers who press at once each counts, and the code is registered once (EXC-9)", async () => {
    await setReviewers(await person("admin"), { ...at(), reviewers: 2 });
    await propose(ann);
    const [bo, cy] = [await person(), await person()];
    const answers = await Promise.all([approve(bo), approve(cy)]);
    expect(answers.map(({ state }) => state).sort()).toEqual(["proposed", "registered"]);
  });

  it("is refused where the code is there, near another one, or of the platform's domain (EXC-9)", async () => {
    await propose(ann);
    await expect(propose(ann)).rejects.toMatchObject({ code: "conflict", details: { state: "proposed" } });
    const near = { ...at(), code: "TEST_STOCK_SHORTAGES_409", facts };
    await expect(proposeCode(ann, near)).rejects.toMatchObject({ code: "conflict", details: { near: [{ code, why: "spelling" }] } });
    expect(await proposeCode(ann, { ...near, isNoDuplicate: true })).toMatchObject({ state: "proposed" });
    await expect(propose(ann, "APOLLO_WORKER_LOST_503")).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("can be taken back, and a registered code be deprecated, never the other way round (EXC-9)", async () => {
    await propose(ann);
    await expect(deprecateCode(ann, { ...at(), code, reason })).rejects.toMatchObject({ code: "stale" });
    await withdrawCode(ann, { ...at(), code, reason });
    await registered();
    await expect(withdrawCode(ann, { ...at(), code, reason })).rejects.toMatchObject({ code: "stale" });
    await deprecateCode(ann, { ...at(), code, reason });
    expect(await lastAudit()).toMatchObject({ verb: "code.deprecate", reason });
    expect(await loadCode(ann, { ...at(), code })).toMatchObject({ state: "deprecated", deprecatedWhy: reason });
  });
});

describe("the triage inbox", () => {
  it("shows codes that nobody registered, by code, stack and shape of message, with samples (EXC-1)", async () => {
    await event({ daysAgo: 2 });
    for (const item of ["B-1", "C-22", "D-4"]) await event({ message: `no stock of ${item}` });
    await event({ message: "permission denied", stackHash: null });
    await event({ code: "APOLLO_WORKER_LOST_503" });
    await event({ code: "TEST_OLD_THING_1", daysAgo: 40 });
    const { items } = await listTriage(ann, at());
    expect(items).toHaveLength(2);
    expect(items.find(({ stackHash }) => stackHash === "abc")).toMatchObject({
      ...{ code: "TEST_COMMAND_EXIT_3", shape: "no stock of #", count: 4 },
      samples: [{ message: "no stock of D-4" }, { message: "no stock of C-22" }, { message: "no stock of B-1" }],
      pipelines: [{ id: pipeline.pipelineId }],
    });
    const first = await listTriage(ann, { ...at(), limit: 1 });
    const second = await listTriage(ann, { ...at(), limit: 1, cursor: first.nextCursor ?? "" });
    expect([...first.items, ...second.items]).toEqual(items);
    expect(second.nextCursor).toBeNull();
  });

  it("is left by what is proposed or mapped; history and what comes are shown under the mapped code, until it is undone (EXC-1)", async () => {
    await registered();
    await event({ daysAgo: 3 });
    await event({ message: "permission denied" });
    const from = { code: "TEST_COMMAND_EXIT_3", stackHash: "abc", shape: "no stock of #" };
    const { id } = await mapCode(ann, { ...at(), from, to: code, reason });
    expect(await lastAudit()).toMatchObject({ verb: "code.map", objectLabel: code, after: { mapping: id, ...from } });
    await event({ message: "no stock of Z-9" });
    expect((await listTriage(ann, at())).items).toMatchObject([{ shape: "permission denied", suggestions: [code] }]);
    expect((await listCodes(ann, at())).items).toMatchObject([{ code, events: 2 }]);
    const card = await loadCode(ann, { ...at(), code });
    expect(card.events.map(({ message }) => message)).toEqual(["no stock of Z-9", "no stock of A-17"]);
    expect(card.mappings).toMatchObject([{ id, from, reason }]);
    await expect(mapCode(ann, { ...at(), from, to: code, reason })).rejects.toMatchObject({ code: "stale" });
    await unmapCode(ann, { ...at(), id, reason });
    await expect(unmapCode(ann, { ...at(), id, reason })).rejects.toMatchObject({ code: "stale" });
    expect((await loadCode(ann, { ...at(), code })).events).toEqual([]);
    expect((await listTriage(ann, at())).items).toHaveLength(2);
    const stored = await ctx.db
      .select()
      .from(errorEvents)
      .where(and(eq(errorEvents.projectId, project.id), eq(errorEvents.code, code)));
    expect(stored).toEqual([]);
  });

  it("maps only to what is registered, and never from it (EXC-1)", async () => {
    await propose(ann);
    const from = { code: "TEST_COMMAND_EXIT_3", stackHash: "", shape: "x" };
    await expect(mapCode(ann, { ...at(), from, to: code, reason })).rejects.toMatchObject({ code: "stale" });
    await registered("TEST_OTHER_FAULT_1");
    await expect(mapCode(ann, { ...at(), from: { ...from, code }, to: "TEST_OTHER_FAULT_1", reason })).rejects.toMatchObject({
      code: "conflict",
    });
    await expect(mapCode(await person("operator"), { ...at(), from, to: code, reason })).rejects.toMatchObject({ code: "forbidden" });
  });

  it("knows nothing of another project's events, register and mappings (SEC-2)", async () => {
    await event();
    const other = await makeProject(ctx);
    const bea = actingAs(ctx, await makeUser(ctx, other, "admin"));
    expect((await listTriage(bea, { projectId: other.id })).items).toEqual([]);
    await expect(listTriage(bea, at())).rejects.toMatchObject({ code: "not_found" });
    await expect(loadCode(bea, { ...at(), code })).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("the card of a code", () => {
  it("counts its events by the reader's days, and tells pipelines, versions and which retry helped (INC-3, RTY-4)", async () => {
    const failing = await makePipeline(ctx, project, [node("a", [], { group: "cards", retry: { retries: 3, delays: ["1s"] } })]);
    await registered("TEST_STEP_BROKEN_500");
    const worker = await makeWorker(ctx, ["cards"]);
    const runId = await startRun(ctx, failing);
    await drive(ctx, worker, { groups: ["cards"], end: () => ({ kind: "failed" }) });
    await ctx.db.execute("update node_runs set state = 'QUEUED', ready_at = now(), rank = now(), due_at = null where state = 'RETRYING'");
    await drive(ctx, worker, { groups: ["cards"] });
    const card = await loadCode(ann, { ...at(), code: "TEST_STEP_BROKEN_500", timezone: "Asia/Shanghai" });
    expect(card.trend).toEqual([{ day: card.today, events: 1 }]);
    expect(card.touched).toMatchObject([{ id: failing.pipelineId, versions: [1], events: 1 }]);
    expect(card.retries).toEqual([{ no: 1, tried: 1, helped: 1 }]);
    expect(card.events).toMatchObject([{ runId, nodeKey: "a", attemptNo: 1, message: "it broke" }]);
    await expect(loadCode(ann, { ...at(), code: "TEST_STEP_BROKEN_500", timezone: "Mars/Base" })).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(await ctx.db.$count(runs, eq(runs.projectId, project.id))).toBe(1);
  });
});

describe("the register for programs", () => {
  it("refuses codes of its domains that are not registered, with what is near, and no others (EXC-9)", async () => {
    await registered();
    await setReviewers(await person("admin"), { ...at(), reviewers: 3 });
    await propose(ann, "TEST_API_DOWN_503");
    const codes = [code, "TEST_STOCK_SHORTAGES_409", "TEST_API_DOWN_503", "ISO_8859_1", code];
    expect(await checkCodes(ann, { ...at(), codes })).toEqual([
      { code: "TEST_STOCK_SHORTAGES_409", state: null, near: [code] },
      { code: "TEST_API_DOWN_503", state: "proposed", near: [] },
    ]);
    await deprecateCode(ann, { ...at(), code, reason });
    expect(await checkCodes(ann, { ...at(), codes: [code] })).toMatchObject([{ code, state: "deprecated" }]);
  });

  it("exports what is registered, and nothing else (EXC-9)", async () => {
    await registered();
    await setReviewers(await person("admin"), { ...at(), reviewers: 1 });
    await propose(ann, "TEST_API_DOWN_503");
    const text = await exportCodes(ann, project);
    expect(text).toContain(`${code}: {"code":"${code}","status":"TEST_STOCK_SHORTAGE","number":409`);
    expect(text).not.toContain("TEST_API_DOWN_503");
  });
});
