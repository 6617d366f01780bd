import { desc, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alerts } from "@/db/schema/alerts";
import { incidents } from "@/db/schema/incidents";
import { attempts, errorEvents } from "@/db/schema/runs";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { CODE_FACTS as facts } from "@/db/testing/mutations";
import { node } from "@/db/testing/plans";
import { eventsOf, makeFence, makePipeline, makeWorker, nodesByKey, reportOf, startRun, statesOf } from "@/db/testing/runs";
import { messageShape } from "@/server/domain/codes/message-shape";
import { decideNew } from "@/server/engine/alerts/decide-new";
import type { Ctx } from "@/server/engine/context";
import { groupNew } from "@/server/engine/incidents/group-new";
import type { Fence } from "@/server/engine/leadership/fence";
import { listReviews } from "@/server/engine/reviews/list-reviews";
import { loadRoutingTable } from "@/server/engine/routing/load-routing-table";
import { saveRoutingTable } from "@/server/engine/routing/save-routing-table";
import { claimReady } from "@/server/engine/runs/claim";
import { RunMemory } from "@/server/engine/runs/run-memory";
import { settle } from "@/server/engine/runs/settle";
import { listTriage } from "./list-triage";
import { loadCode } from "./load-code";
import { mapCode, unmapCode } from "./map-code";
import { proposeCode } from "./propose-code";
import { setReviewers } from "./set-reviewers";

let database: TestDatabase;
let ctx: Ctx;
let editor: Ctx;
let fence: Fence;
let project: { id: string; key: string };
const SAID = "TEST_COMMAND_EXIT_3";
const CODE = "TEST_STOCK_SHORTAGE_409";
const FROM = { code: SAID, stackHash: "", shape: "no stock of #" };
const reason = "it is the same";
const at = () => ({ projectId: project.id });

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  project = await makeProject(ctx);
  editor = actingAs(ctx, await makeUser(ctx, project, "editor"));
  await setReviewers(actingAs(ctx, await makeUser(ctx, project, "admin")), { ...at(), reviewers: 0 });
  await proposeCode(editor, { ...at(), code: CODE, facts });
  const { version } = await loadRoutingTable(editor, at());
  await saveRoutingTable(editor, { ...at(), version, rules: [{ name: "stock", pattern: CODE, action: "review" }] });
});
afterAll(() => database.close());

const map = () => mapCode(editor, { ...at(), from: FROM, to: CODE, reason });

/** A run whose only node fails for good with the worker's own code. */
async function fail(message: string, remembered = false): Promise<string> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group, retry: { policy: "none" } })]));
  const worker = await makeWorker(ctx, [group]);
  const memory = remembered ? new RunMemory(() => performance.now()) : undefined;
  const [first] = await claimReady(ctx, { worker, groups: [group], limit: 1, ...(memory ? { memory } : {}) });
  if (!first) throw new Error("nothing was ready");
  const reports = [reportOf(first, { kind: "failed", code: SAID, message })];
  await settle(ctx, { worker, reports, free: {}, ...(memory ? { memory } : {}) });
  return runId;
}

const errorOf = async (runId: string) => {
  const [row] = await ctx.db.select().from(errorEvents).where(eq(errorEvents.runId, runId));
  return row && { code: row.code, said: row.saidCode };
};

describe("a mapping", () => {
  it.each([false, true])(
    "makes the next failure the registered code's: its rule, review, run, alert and incident (EXC-1), remembered: %s",
    async (remembered) => {
      await map();
      const runId = await fail("no stock of A-17", remembered);
      expect(await statesOf(ctx, runId)).toEqual({ a: "MANUAL_REVIEW" });
      expect(await errorOf(runId)).toEqual({ code: CODE, said: SAID });
      expect((await nodesByKey(ctx, runId)).get("a")).toMatchObject({ errorCode: CODE });
      const [attempt] = await ctx.db.select().from(attempts).where(eq(attempts.runId, runId));
      expect(attempt).toMatchObject({ errorCode: CODE });
      const step = (await eventsOf(ctx, runId)).findLast((event) => event.nodeKey === "a" && event.data.code);
      expect(step?.data).toMatchObject({ code: CODE, saidCode: SAID, route: { rule: "stock" } });
      expect((await listReviews(editor, at())).items).toMatchObject([{ error: { code: CODE } }]);
      await decideNew(ctx, fence);
      const told = await ctx.db.select().from(alerts).where(eq(alerts.projectId, project.id)).orderBy(desc(alerts.no));
      expect(told).toMatchObject([{ code: CODE }]);
      await groupNew(ctx, fence);
      const grouped = await ctx.db.select().from(incidents).where(eq(incidents.projectId, project.id));
      expect(grouped).toMatchObject([{ code: CODE }]);
    },
  );

  it("shows what came before and what comes after as one, each with what its worker said, and the inbox is empty (EXC-1)", async () => {
    const before = await fail("no stock of A-17");
    await map();
    const after = await fail("no stock of B-2");
    expect([await errorOf(before), await errorOf(after)]).toEqual([
      { code: SAID, said: null },
      { code: CODE, said: SAID },
    ]);
    expect((await loadCode(editor, { ...at(), code: CODE })).events).toMatchObject([
      { runId: after, said: SAID },
      { runId: before, said: SAID },
    ]);
    expect((await listTriage(editor, at())).items).toEqual([]);
  });

  it("that is undone teaches no more: the next failure is as it was said (EXC-1)", async () => {
    const { id } = await map();
    const taught = await fail("no stock of A-17");
    await unmapCode(editor, { ...at(), id, reason });
    const next = await fail("no stock of A-17");
    expect([await errorOf(taught), await errorOf(next)]).toEqual([
      { code: CODE, said: SAID },
      { code: SAID, said: null },
    ]);
    expect(await statesOf(ctx, next)).toEqual({ a: "FAILED" });
    expect((await loadCode(editor, { ...at(), code: CODE })).events).toMatchObject([{ runId: taught, said: SAID }]);
    expect((await listTriage(editor, at())).items).toMatchObject([{ code: SAID, count: 1 }]);
  });

  it("of another message leaves a failure as it was said, and the platform's own codes are never mapped (EXC-1)", async () => {
    await map();
    expect(await errorOf(await fail("permission denied"))).toEqual({ code: SAID, said: null });
    const own = { ...FROM, code: "APOLLO_WORKER_LOST_503" };
    await expect(mapCode(editor, { ...at(), from: own, to: CODE, reason })).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("the shape of a message", () => {
  it.each([
    "no stock of A-17",
    "order 'A 17' by \"Ann\" failed\nat line 3",
    "  12:30 busy  ",
    "缺货 SKU-9\u3000三件，仓库 7号",
    "a\u00a09 b\u20031 c\u0085 2 \ufeff3",
    "tab\t7\ttab\r\nnext",
    "'a\"b'c\"d'e 1\"",
    `${"😀".repeat(299)} 12 and more`,
    `${"x".repeat(299)}9999`,
    "x٣ ½ 3",
    "",
  ])("is in the engine as in the database: %j (EXC-1)", async (message) => {
    const [row] = await ctx.db.execute<{ shape: string }>(sql`select message_shape(${message}) as shape`);
    expect(messageShape(message)).toBe(row?.shape);
  });
});
