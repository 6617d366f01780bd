import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, eventsOf, makePipeline, makeWorker, runOf, startRun, statesOf } from "@/db/testing/runs";
import type { Ctx } from "@/server/engine/context";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  project = await makeProject(ctx);
});
afterAll(() => database.close());

describe("a chain", () => {
  it("runs node after node to SUCCESS, each once (RUN-1, IDM-4)", async () => {
    const pipeline = await makePipeline(ctx, project, [node("a"), node("b", ["a"]), node("c", ["b"])]);
    const worker = await makeWorker(ctx);
    const runId = await startRun(ctx, pipeline);
    expect(await statesOf(ctx, runId)).toEqual({ a: "QUEUED", b: "PENDING", c: "PENDING" });
    expect(await drive(ctx, worker)).toEqual(["a", "b", "c"]);
    expect(await statesOf(ctx, runId)).toEqual({ a: "SUCCESS", b: "SUCCESS", c: "SUCCESS" });
    expect(await runOf(ctx, runId)).toMatchObject({ state: "SUCCESS", endedAt: expect.any(Date) });
    const events = await eventsOf(ctx, runId);
    expect(events.map(({ event, nodeKey }) => (nodeKey ? `${nodeKey} ${event}` : event))).toEqual([
      "run.created",
      "a ready",
      "run.running",
      "a claimed",
      "a succeeded",
      "b ready",
      "b claimed",
      "b succeeded",
      "c ready",
      "c claimed",
      "c succeeded",
      "run.success",
    ]);
  });
});
