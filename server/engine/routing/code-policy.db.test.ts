import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorCodes } from "@/db/schema/codes";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { CODE_FACTS } from "@/db/testing/mutations";
import { type NodeInput, node } from "@/db/testing/plans";
import { eventsOf, makeFence, makePipeline, makeWorker, nodesByKey, reportOf, startRun } from "@/db/testing/runs";
import type { ClaimedNode } from "@/server/domain/run/work";
import { proposeCode } from "@/server/engine/codes/propose-code";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { claimReady } from "@/server/engine/runs/claim";
import { queueDueRetries } from "@/server/engine/runs/queue-due-retries";
import { RunMemory } from "@/server/engine/runs/run-memory";
import { settle } from "@/server/engine/runs/settle";
import { saveRoutingTable } from "./save-routing-table";

const CODE = "TEST_STEP_TIMEOUT_504";
const KEPT = { baseMs: 40_000, jitterMs: 0, capMs: 90_000 };
let database: TestDatabase;
let ctx: Ctx;
let fence: Fence;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  project = await makeProject(ctx);
});
afterAll(() => database.close());

async function keep(state: "proposed" | "registered"): Promise<void> {
  await proposeCode(ctx, { projectId: project.id, code: CODE, facts: { ...CODE_FACTS, retry: KEPT }, isNoDuplicate: true });
  await ctx.db
    .update(errorCodes)
    .set({ state, ...(state === "registered" ? { registeredAt: new Date() } : {}) })
    .where(and(eq(errorCodes.projectId, project.id), eq(errorCodes.code, CODE)));
}

/** Lets one node fail with the code until it is tried no more; answers with how long it waited for each retry, and where it ended. */
async function failOn(retry?: NodeInput["retry"], memory?: RunMemory): Promise<{ delays: number[]; state: string | undefined }> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group, ...(retry ? { retry } : {}) })]));
  const worker = await makeWorker(ctx, [group]);
  const delays: number[] = [];
  for (;;) {
    const [claimed] = await claimReady(ctx, { worker, groups: [group], limit: 1, memory });
    const reports = [reportOf(claimed as ClaimedNode, { kind: "failed", code: CODE })];
    await settle(ctx, { worker, reports, free: {}, ...(memory ? { memory } : {}) });
    const a = (await nodesByKey(ctx, runId)).get("a");
    if (a?.state !== "RETRYING" || a.dueAt === null) return { delays, state: a?.state };
    const failed = (await eventsOf(ctx, runId)).findLast(({ event }) => event === "attemptFailed");
    delays.push(a.dueAt.getTime() - (failed?.at.getTime() ?? 0));
    await ctx.db.execute(sql`update node_runs set due_at = clock_timestamp() - interval '1 second' where run_id = ${runId}::uuid`);
    await queueDueRetries(ctx, fence);
  }
}

const seconds = ({ delays }: { readonly delays: readonly number[] }) => delays.map((ms) => Math.round(ms / 1_000));

describe("the policy that the register keeps for a code", () => {
  for (const memory of [false, true]) {
    it(`replaces the delays, up to its cap, and never the count, ${memory ? "by what the worker remembers" : "under locks"} (RTY-2)`, async () => {
      await keep("registered");
      const done = await failOn(undefined, memory ? new RunMemory(() => performance.now()) : undefined);
      expect([seconds(done), done.state]).toEqual([[40, 80, 90], "FAILED"]);
    });
  }

  it("is not in force while the code is a proposal: the code's family decides (RTY-2, EXC-9)", async () => {
    await keep("proposed");
    expect(seconds(await failOn())).toEqual([1, 1, 2]);
  });

  it("stands below what the node says itself, and below a routing rule (RTY-2)", async () => {
    await keep("registered");
    expect(seconds(await failOn({ retries: 2, delays: ["7s"], jitter: [0, 0] }))).toEqual([7, 7]);
    const rule = { name: "late", pattern: CODE, action: "retry", delays: { base: "3s", jitter: "0ms" } } as const;
    await saveRoutingTable(ctx, { projectId: project.id, version: 0, rules: [rule], note: "" });
    expect(seconds(await failOn())).toEqual([3, 6, 12]);
  });
});
