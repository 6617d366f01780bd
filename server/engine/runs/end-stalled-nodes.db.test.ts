import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { z } from "zod";
import { alerts } from "@/db/schema/alerts";
import { logChunks } from "@/db/schema/runs";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { eventsOf, makeFence, makePipeline, makeWorker, startRun, statesOf } from "@/db/testing/runs";
import type { stallSchema } from "@/server/domain/pipeline/definition";
import { createSilenceWatch } from "@/server/engine/alerts/watch-silence";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { listReviews } from "@/server/engine/reviews/list-reviews";
import { saveRoutingTable } from "@/server/engine/routing/save-routing-table";
import { claimReady } from "./claim";
import { endStalledNodes } from "./end-stalled-nodes";

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
  await ctx.db.execute(sql`update node_runs set state = 'CANCELED' where state = 'RUNNING'`);
  project = await makeProject(ctx);
});
afterAll(() => database.close());

/** A node whose attempt began so many minutes ago. */
async function running(minutes: number, stall?: z.input<typeof stallSchema>): Promise<string> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group, ...(stall ? { stall } : {}) })]));
  await claimReady(ctx, { worker: await makeWorker(ctx, [group]), groups: [group], limit: 1 });
  await ctx.db.execute(sql`
    update node_runs set timeout_at = timeout_at - ${minutes} * interval '1 minute' where run_id = ${runId}::uuid`);
  return runId;
}
const told = () => ctx.db.select().from(alerts).where(eq(alerts.projectId, project.id));

describe("a running node without progress", () => {
  it("is told after five minutes, once, and runs on; the alert ends with the next line (EXC-8)", async () => {
    await running(4);
    const runId = await running(6);
    const watch = createSilenceWatch();
    await watch(ctx, fence);
    await watch(ctx, fence);
    await endStalledNodes(ctx, fence);
    expect(await told()).toMatchObject([{ code: "APOLLO_SILENT_NODE_504", runId, nodeKey: "a", resolvedAt: null }]);
    expect(await statesOf(ctx, runId)).toEqual({ a: "RUNNING" });
    const line = { at: new Date().toISOString(), stream: "stdout", text: "progress 40 %" } as const;
    await ctx.db.insert(logChunks).values({ runId, nodeKey: "a", generation: 1, attemptNo: 1, chunk: 0, lines: [line], bytes: 13 });
    await watch(ctx, fence);
    expect(await told()).toMatchObject([{ resolvedAs: "itself" }]);
  });

  it("is given the time that its node says, and no alert beside another action (EXC-8)", async () => {
    await running(6, { after: "9m" });
    const killed = await running(6, { after: "9m", action: "kill" });
    const watch = createSilenceWatch();
    await watch(ctx, fence);
    await endStalledNodes(ctx, fence);
    expect(await told()).toEqual([]);
    expect(await statesOf(ctx, killed)).toEqual({ a: "RUNNING" });
  });

  it("is ended where its node says kill, and judged by its policy (EXC-8)", async () => {
    const runId = await running(6, { action: "kill" });
    await endStalledNodes(ctx, fence);
    expect(await statesOf(ctx, runId)).toEqual({ a: "RETRYING" });
    expect((await eventsOf(ctx, runId)).at(-1)).toMatchObject({ event: "attemptTimedOut", data: { code: "APOLLO_NODE_STALLED_504" } });
  });

  it("is sent to a person where its node says review; a routing rule stands above it (EXC-8, EXC-5)", async () => {
    const runId = await running(6, { action: "review" });
    await endStalledNodes(ctx, fence);
    expect(await statesOf(ctx, runId)).toEqual({ a: "MANUAL_REVIEW" });
    const { items } = await listReviews(ctx, { projectId: project.id });
    expect(items).toMatchObject([{ error: { code: "APOLLO_NODE_STALLED_504" }, maybeRepeated: true, rule: { name: "stall of the node" } }]);
    project = await makeProject(ctx);
    const rule = { name: "again", pattern: "APOLLO_NODE_STALLED_*", action: "retry" } as const;
    await saveRoutingTable(ctx, { projectId: project.id, version: 0, rules: [rule], note: "" });
    const other = await running(6, { action: "review" });
    await endStalledNodes(ctx, fence);
    expect(await statesOf(ctx, other)).toEqual({ a: "RETRYING" });
  });
});
