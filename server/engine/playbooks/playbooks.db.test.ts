import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { audit, workers } from "@/db/schema/platform";
import { attempts, nodeRuns } from "@/db/schema/runs";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import { CHECK_NAMES, VERDICT_WORDS } from "@/server/domain/playbooks/checks";
import type { Ctx } from "@/server/engine/context";
import { claimReady } from "@/server/engine/runs/claim";
import { listPlaybooks } from "./list-playbooks";
import { runCheck } from "./run-check";
import { changePlaybook, createPlaybook, removePlaybook } from "./save-playbook";

let database: TestDatabase;
let ctx: Ctx;
let viewer: Ctx;
let editor: Ctx;
let project: { id: string; key: string };
const CODE = "TEST_STORE_BROKEN_500";

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db, { ports: recordingPorts() });
});
beforeEach(async () => {
  project = await makeProject(ctx);
  viewer = actingAs(ctx, await makeUser(ctx, project, "viewer"));
  editor = actingAs(ctx, await makeUser(ctx, project, "editor"));
});
afterAll(() => database.close());

/** Runs of one node that fail, on one worker. */
async function failures(count: number): Promise<{ runId: string; workerId: string }> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const pipeline = await makePipeline(ctx, project, [node("a", [], { group, retry: { policy: "none" } })]);
  const worker = await makeWorker(ctx, [group]);
  let runId = "";
  for (let n = 0; n < count; n++) {
    runId = await startRun(ctx, pipeline);
    await drive(ctx, worker, { groups: [group], end: () => ({ kind: "failed", code: CODE, retryable: false }) });
  }
  return { runId, workerId: worker.id };
}

const check = (name: (typeof CHECK_NAMES)[number], subject: object) => runCheck(viewer, { projectId: project.id, check: name, subject });

describe("a check", () => {
  it("of every name answers a viewer with one of its words, from no more than a code (INC-4)", async () => {
    const { runId, workerId } = await failures(6);
    for (const name of CHECK_NAMES) {
      const found = await check(name, { code: CODE });
      expect(VERDICT_WORDS[name], name).toContain(found.verdict.word);
      expect(found.subject, name).toEqual({ runId, nodeKey: "a", code: CODE, workerId });
      for (const row of found.rows) expect(row, name).toHaveLength(found.columns.length);
    }
    expect((await check("code_rate", { code: CODE })).verdict).toMatchObject({ word: "rising", values: { n: 6 } });
    expect((await check("code_places", { code: CODE })).rows).toMatchObject([[workerId, expect.any(String), 1, 6, expect.any(Number)]]);
    expect((await check("worker_codes", { workerId })).rows).toEqual([[CODE, 6, 0]]);
    expect((await check("node_history", { runId, nodeKey: "a" })).verdict.word).toBe("not_running");
  });

  it("of a node whose worker has gone says so, and that one that is there works on (INC-4)", async () => {
    const group = `g-${ctx.ids.randomHex(4)}`;
    const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group })]));
    const worker = await makeWorker(ctx, [group]);
    await claimReady(ctx, { worker, groups: [group], limit: 1 });
    const subject = { runId, nodeKey: "a" };
    expect((await check("node_attempt", subject)).verdict).toMatchObject({ word: "alive", values: { worker: worker.id } });
    expect((await check("node_output", subject)).verdict.word).toBe("never");
    expect((await check("node_usual", subject)).verdict.word).toBe("no_history");
    await ctx.db
      .update(workers)
      .set({ expiresAt: new Date(Date.now() - 1_000) })
      .where(eq(workers.id, worker.id));
    expect((await check("node_attempt", subject)).verdict.word).toBe("worker_gone");
  });

  it("compares the time of a node with its last successes (INC-4)", async () => {
    const group = `g-${ctx.ids.randomHex(4)}`;
    const pipeline = await makePipeline(ctx, project, [node("a", [], { group })]);
    const worker = await makeWorker(ctx, [group]);
    for (let n = 0; n < 5; n++) {
      await startRun(ctx, pipeline);
      await drive(ctx, worker, { groups: [group] });
    }
    const runId = await startRun(ctx, pipeline);
    await claimReady(ctx, { worker, groups: [group], limit: 1 });
    await ctx.db
      .update(attempts)
      .set({ dispatchedAt: new Date(Date.now() - 3_600_000) })
      .where(eq(attempts.runId, runId));
    expect((await check("node_usual", { runId, nodeKey: "a" })).verdict).toMatchObject({ word: "beyond" });
  });

  it("sees nothing of another project, by a node, a code or a worker (AUD-1)", async () => {
    const { runId, workerId } = await failures(5);
    const other = await makeProject(ctx);
    const stranger = actingAs(ctx, await makeUser(ctx, other, "admin"));
    const asked = (name: (typeof CHECK_NAMES)[number], subject: object) =>
      runCheck(stranger, { projectId: other.id, check: name, subject });
    await expect(runCheck(stranger, { projectId: project.id, check: "code_rate", subject: { code: CODE } })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(asked("node_history", { runId, nodeKey: "a" })).rejects.toMatchObject({ code: "not_found" });
    expect((await asked("code_stacks", { code: CODE })).rows).toEqual([]);
    expect((await asked("worker_codes", { workerId })).rows).toEqual([]);
  });

  it("says what is missing where nothing leads to its subject (INC-4)", async () => {
    await expect(check("node_output", {})).rejects.toMatchObject({ code: "invalid_input", issues: [{ path: "subject.runId" }] });
    await expect(check("worker_trips", { code: CODE })).rejects.toMatchObject({ issues: [{ path: "subject.workerId" }] });
  });

  it("leaves everything as it is (INC-4)", async () => {
    const { runId } = await failures(1);
    const state = () => ctx.db.select().from(nodeRuns).where(eq(nodeRuns.runId, runId));
    const [before, rows] = [await state(), await ctx.db.$count(audit)];
    for (const name of CHECK_NAMES) await check(name, { runId, nodeKey: "a" });
    expect(await state()).toEqual(before);
    expect(await ctx.db.$count(audit)).toBe(rows);
  });
});

const form = { title: "orders wait", symptom: "no order leaves", pattern: "TEST_*", checks: ["code_rate", "worker_memory"] };
const filled = (more: object = {}) => ({ ...form, meaning: "call the store", link: "https://wiki.example.com/orders", ...more }) as never;

describe("a playbook of a project", () => {
  it("is offered for the codes of its pattern before the shipped ones, and each change of it is audited (INC-4, AUD-2)", async () => {
    const made = await createPlaybook(editor, { projectId: project.id, form: filled() });
    expect(await listPlaybooks(viewer, { projectId: project.id, code: CODE })).toMatchObject({
      own: [{ title: "orders wait", checks: form.checks }],
      shipped: [{ key: "code-bursts" }],
    });
    expect((await listPlaybooks(viewer, { projectId: project.id, code: "SHOP_STOCK_SHORTAGE_409" })).own).toEqual([]);
    await changePlaybook(editor, { id: made.id, revision: 1, form: filled({ meaning: "call nobody" }) });
    await removePlaybook(editor, { id: made.id, revision: 2 });
    const rows = await ctx.db.select().from(audit).where(eq(audit.objectId, made.id)).orderBy(audit.seq);
    expect(rows).toMatchObject([
      { verb: "playbook.create" },
      { verb: "playbook.change", before: { meaning: "call the store" }, after: { meaning: "call nobody" } },
      { verb: "playbook.remove", before: { meaning: "call nobody" } },
    ]);
  });

  it("is refused to who saw an older one, with who changed it, and under a title that is taken (INC-4)", async () => {
    const { id } = await createPlaybook(editor, { projectId: project.id, form: filled() });
    await createPlaybook(editor, { projectId: project.id, form: filled({ title: "another" }) });
    await changePlaybook(editor, { id, revision: 1, form: filled({ symptom: "less" }) });
    await expect(changePlaybook(editor, { id, revision: 1, form: filled() })).rejects.toMatchObject({ code: "stale" });
    await expect(removePlaybook(editor, { id, revision: 1 })).rejects.toMatchObject({ code: "stale" });
    await expect(changePlaybook(editor, { id, revision: 2, form: filled({ title: "another" }) })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("takes shipped checks alone, each once, and a link that is one (INC-4)", async () => {
    for (const more of [
      { checks: ["drop_table"] },
      { checks: ["code_rate", "code_rate"] },
      { checks: [] },
      { link: "javascript:alert(1)" },
    ]) {
      await expect(createPlaybook(editor, { projectId: project.id, form: filled(more) })).rejects.toMatchObject({ code: "invalid_input" });
    }
    await expect(createPlaybook(viewer, { projectId: project.id, form: filled() })).rejects.toMatchObject({ code: "forbidden" });
  });
});
