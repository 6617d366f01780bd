import { and, desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alerts } from "@/db/schema/alerts";
import { errorCodes } from "@/db/schema/codes";
import { audit } from "@/db/schema/platform";
import { reviewItems } from "@/db/schema/routing";
import { nodeRuns } from "@/db/schema/runs";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { CODE_FACTS } from "@/db/testing/mutations";
import { node } from "@/db/testing/plans";
import { drive, makeFence, makePipeline, makeWorker, reportOf, startRun, statesOf } from "@/db/testing/runs";
import { isUnhealthyNode } from "@/server/domain/run/states";
import type { ClaimedNode } from "@/server/domain/run/work";
import { decideNew } from "@/server/engine/alerts/decide-new";
import type { Ctx } from "@/server/engine/context";
import { listBroken } from "@/server/engine/health/list-broken";
import { claimReady } from "@/server/engine/runs/claim";
import { queueDueRetries } from "@/server/engine/runs/queue-due-retries";
import { settle } from "@/server/engine/runs/settle";
import { skipNode } from "@/server/engine/runs/skip-node";
import { decideReviews } from "./decide-reviews";
import { listReviews, summariseReviews } from "./list-reviews";
import { setReviewSla } from "./review-settings";

let database: TestDatabase;
let ctx: Ctx;
let operator: Ctx;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
});
beforeEach(async () => {
  project = await makeProject(ctx);
  operator = actingAs(ctx, await makeUser(ctx, project, "operator"));
});
afterAll(() => database.close());

const reason = "the stock was counted";
const SHORTAGE = "TEST_STOCK_SHORTAGE_409";

/** A run whose first node ran short, which the shipped rules send to a person. */
async function short(code = SHORTAGE): Promise<{ runId: string; key: string; generation: number }> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group }), node("b", ["a"], { group })]));
  await drive(ctx, await makeWorker(ctx, [group]), { groups: [group], end: () => ({ kind: "failed", code, message: "3 of 5 left" }) });
  return { runId, key: "a", generation: 1 };
}

const queue = async (more: object = {}) => (await listReviews(operator, { projectId: project.id, ...more })).items;
const waitSince = (runId: string, at: Date) => ctx.db.update(reviewItems).set({ since: at }).where(eq(reviewItems.runId, runId));

describe("the review queue", () => {
  it("shows what waits for a person: whose it is, since when, why, and by when (RUN-2, EXC-5)", async () => {
    const { runId } = await short();
    const [review, ...others] = await queue();
    expect(others).toEqual([]);
    expect(review).toMatchObject({
      run: { id: runId, state: "PAUSED" },
      node: { key: "a", generation: 1 },
      owner: "tests",
      error: { code: SHORTAGE, message: "3 of 5 left" },
      cause: "rule",
      why: expect.stringContaining("Shortages go to the owner"),
      rule: { name: "Shortages go to the owner", version: 0 },
      attempts: 1,
      maybeRepeated: false,
    });
    expect((review?.dueBy.getTime() ?? 0) - (review?.since.getTime() ?? 0)).toBe(240 * 60_000);
  });

  it("is read oldest first, page by page, over all pipelines; other projects are not in it (B91)", async () => {
    const made = [await short(), await short(), await short()];
    for (const [index, { runId }] of made.entries()) await waitSince(runId, new Date(Date.UTC(2026, 0, 3 - index)));
    const first = await listReviews(operator, { projectId: project.id, limit: 2 });
    const second = await listReviews(operator, { projectId: project.id, limit: 2, cursor: first.nextCursor ?? "" });
    expect([...first.items, ...second.items].map(({ run }) => run.id)).toEqual(made.map(({ runId }) => runId).toReversed());
    expect(second.nextCursor).toBeNull();
    const elsewhere = await makeProject(ctx);
    const stranger = actingAs(ctx, await makeUser(ctx, elsewhere, "viewer"));
    expect((await listReviews(stranger, { projectId: elsewhere.id })).items).toEqual([]);
    await expect(listReviews(stranger, { projectId: project.id })).rejects.toMatchObject({ code: "not_found" });
  });

  it("counts by code, and tells how many have waited longer than they may (EXC-5)", async () => {
    const late = await short();
    await short();
    await short("TEST_DISK_SHORTAGE_507");
    await waitSince(late.runId, new Date(Date.now() - 241 * 60_000));
    expect(await summariseReviews(operator, { projectId: project.id })).toEqual({
      total: 3,
      more: false,
      overdue: 1,
      codes: [
        { code: SHORTAGE, count: 2, overdue: 1 },
        { code: "TEST_DISK_SHORTAGE_507", count: 1, overdue: 0 },
      ],
      settings: { slaMinutes: 240, revision: 0 },
    });
    expect(await queue({ code: "TEST_DISK_SHORTAGE_507" })).toHaveLength(1);
  });

  it("holds a code to the limit that the register gives it, once it is registered (EXC-9)", async () => {
    const { runId } = await short();
    await short("TEST_DISK_SHORTAGE_507");
    await waitSince(runId, new Date(Date.now() - 31 * 60_000));
    const row = {
      ...CODE_FACTS,
      slaMinutes: 30,
      id: ctx.ids.uuid(),
      projectId: project.id,
      code: SHORTAGE,
      proposedBy: { kind: "user", id: "x", label: "x" },
    };
    await ctx.db.insert(errorCodes).values({ ...row, state: "proposed" });
    expect(await summariseReviews(operator, { projectId: project.id })).toMatchObject({ overdue: 0 });
    await ctx.db.update(errorCodes).set({ state: "registered" }).where(eq(errorCodes.id, row.id));
    expect(await summariseReviews(operator, { projectId: project.id })).toMatchObject({ overdue: 1 });
    const waits = (await queue()).map(({ error, since, dueBy }) => [error?.code, (dueBy.getTime() - since.getTime()) / 60_000]);
    expect(waits.sort()).toEqual(
      [
        ["TEST_DISK_SHORTAGE_507", 240],
        [SHORTAGE, 30],
      ].sort(),
    );
  });
});

it("a retry that ended for want of memory is not forgotten: it is in the queue, counted as unhealthy, and people are told (RUN-2, ALT-7, EXC-8)", async () => {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const retry = { retries: 1, delays: ["1s"] };
  const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group, retry }), node("b", ["a"], { group })]));
  const worker = await makeWorker(ctx, [group]);
  const take = async (): Promise<ClaimedNode> => {
    const [claimed] = await claimReady(ctx, { worker, groups: [group], limit: 1 });
    if (!claimed) throw new Error("nothing was ready");
    return claimed;
  };
  await settle(ctx, { worker, reports: [reportOf(await take(), { kind: "failed", code: "TEST_API_TIMEOUT_504" })], free: {} });
  expect(await statesOf(ctx, runId)).toEqual({ a: "RETRYING", b: "PENDING" });
  await ctx.db
    .update(nodeRuns)
    .set({ dueAt: new Date(0) })
    .where(and(eq(nodeRuns.runId, runId), eq(nodeRuns.key, "a")));
  const fence = await makeFence(ctx);
  await queueDueRetries(ctx, fence);
  const killed = reportOf(await take(), { kind: "failed", code: "APOLLO_WORKER_OOM_137" });
  if (killed.kind !== "failed") throw new Error("it did not fail");
  await settle(ctx, { worker, reports: [{ ...killed, failure: { ...killed.failure, deaths: 1 } }], free: {} });
  expect(await statesOf(ctx, runId)).toEqual({ a: "MANUAL_REVIEW", b: "PENDING" });
  expect(await queue()).toMatchObject([{ run: { id: runId }, cause: "died", error: { code: "APOLLO_WORKER_OOM_137" }, attempts: 2 }]);
  expect(await listBroken(ctx, project.id)).toMatchObject([{ code: "APOLLO_WORKER_OOM_137", nodes: 1, runs: 1 }]);
  expect(isUnhealthyNode("MANUAL_REVIEW")).toBe(true);
  await decideNew(ctx, fence);
  expect(await ctx.db.select().from(alerts).where(eq(alerts.projectId, project.id))).toMatchObject([{ code: "APOLLO_WORKER_OOM_137" }]);
});

describe("a decision on the queue", () => {
  const decide = (
    items: readonly { runId: string; key: string; generation: number }[],
    action: "retry" | "skip" | "mark-success" | "cancel" | "rerun-from",
  ) => decideReviews(operator, { projectId: project.id, action, reason, items: [...items] });

  it.each([
    ["retry", { a: "QUEUED", b: "PENDING" }],
    ["rerun-from", { a: "QUEUED", b: "PENDING" }],
    ["skip", { a: "SKIPPED", b: "QUEUED" }],
    ["mark-success", { a: "SUCCESS", b: "QUEUED" }],
    ["cancel", { a: "CANCELED", b: "PENDING" }],
  ] as const)("%s takes the node out of it, with an audit row that says why (RUN-3, AUD-2)", async (action, states) => {
    const item = await short();
    expect(await decide([item], action)).toEqual([{ runId: item.runId, key: "a", result: "done", refused: null }]);
    expect(await statesOf(ctx, item.runId)).toEqual(states);
    expect(await queue()).toEqual([]);
    const [row] = await ctx.db.select().from(audit).where(eq(audit.projectId, project.id)).orderBy(desc(audit.seq)).limit(1);
    expect(row).toMatchObject({ reason, verb: expect.stringMatching(/^run\./), after: { node: "a", review: true } });
  });

  it("of many is made one by one: what has moved on is left alone and told, the others are done (RUN-3)", async () => {
    const [moved, fine] = [await short(), await short()];
    await skipNode(operator, { ...{ runId: moved.runId, key: "a" }, reason });
    const [first, second] = await decide([moved, fine], "retry");
    expect(first?.refused).toMatchObject({ code: "stale", message: expect.stringContaining("SKIPPED") });
    expect(second?.refused).toBeNull();
    expect([await statesOf(ctx, moved.runId), await statesOf(ctx, fine.runId)]).toMatchObject([{ a: "SKIPPED" }, { a: "QUEUED" }]);
  });

  it("that loses the database on the way says what is done and what is not, and goes on when it is given again (RUN-3)", async () => {
    const items = [await short(), await short(), await short()];
    let begun = 0;
    const db = new Proxy(operator.db, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== "function") return value;
        if (name === "transaction" && ++begun === 2) throw new Error("the connection is lost");
        return value.bind(target) as unknown;
      },
    });
    const wish = { projectId: project.id, action: "retry", reason, items } as const;
    const first = await decideReviews({ ...operator, db }, wish);
    expect(first.map(({ result }) => result)).toEqual(["done", "undecided", "undecided"]);
    const second = await decideReviews(operator, wish);
    expect(second.map(({ result, refused }) => [result, refused?.code])).toEqual([
      ["refused", "stale"],
      ["done", undefined],
      ["done", undefined],
    ]);
    const states = await Promise.all(items.map(({ runId }) => statesOf(ctx, runId)));
    expect(states.map(({ a }) => a)).toEqual(["QUEUED", "QUEUED", "QUEUED"]);
  });

  it("on a later stay of the same node is refused: it was another failure that was looked at (RUN-3)", async () => {
    const item = await short();
    expect((await decide([{ ...item, generation: 2 }], "cancel"))[0]?.refused?.code).toBe("stale");
    expect(await statesOf(ctx, item.runId)).toMatchObject({ a: "MANUAL_REVIEW" });
  });

  it("is refused to a viewer, and for a run of another project (AUD-1)", async () => {
    const item = await short();
    const viewer = actingAs(ctx, await makeUser(ctx, project, "viewer"));
    const wish = { projectId: project.id, action: "retry", reason, items: [item] } as const;
    await expect(decideReviews(viewer, { ...wish, items: [item] })).rejects.toMatchObject({ code: "forbidden" });
    const other = await makeProject(ctx);
    const both = actingAs(ctx, await makeUser(ctx, other, "operator"));
    const [refused] = await decideReviews(both, { ...wish, projectId: other.id, items: [item] });
    expect(refused?.refused?.code).toBe("not_found");
  });

  it("without a reason is refused as a whole (RUN-3)", async () => {
    const item = await short();
    await expect(decideReviews(operator, { projectId: project.id, action: "retry", reason: " ", items: [item] })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});

describe("how long a node may wait for a person", () => {
  const set = (who: Ctx, slaMinutes: number, revision: number) => setReviewSla(who, { projectId: project.id, slaMinutes, revision });

  it("is set per project by an editor, with an audit row, and refused when it has been changed since (EXC-5, AUD-2)", async () => {
    const editor = actingAs(ctx, await makeUser(ctx, project, "editor"));
    await expect(set(operator, 30, 0)).rejects.toMatchObject({ code: "forbidden" });
    expect(await set(editor, 30, 0)).toEqual({ slaMinutes: 30, revision: 1 });
    await expect(set(editor, 60, 0)).rejects.toMatchObject({ code: "stale", details: { slaMinutes: 30 } });
    expect(await set(editor, 60, 1)).toEqual({ slaMinutes: 60, revision: 2 });
    const rows = await ctx.db.select().from(audit).where(eq(audit.projectId, project.id)).orderBy(desc(audit.seq));
    expect(rows.filter(({ verb }) => verb === "review.setLimit").map(({ before, after }) => [before, after])).toEqual([
      [{ slaMinutes: 30 }, { slaMinutes: 60 }],
      [{ slaMinutes: 240 }, { slaMinutes: 30 }],
    ]);
  });
});
