import { afterAll, beforeAll, expect, it } from "vitest";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { attemptsOf, drive, makePipeline, makeWorker, nodesByKey, runOf, startRun } from "@/db/testing/runs";
import type { Ctx } from "@/server/engine/context";

let database: TestDatabase;
let ctx: Ctx;
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
});
afterAll(() => database.close());

it("a fallback and a compensation are skipped in the run's first commit, and no worker ever takes one (RUN-10, EXC-5)", async () => {
  const pipeline = await makePipeline(ctx, await makeProject(ctx), [
    node("pay", [], { fallback: "pay_later", compensate: "refund" }),
    node("pay_later"),
    node("refund"),
    node("ship", ["pay"]),
  ]);
  const runId = await startRun(ctx, pipeline);
  const born = await nodesByKey(ctx, runId);
  expect(["pay_later", "refund"].map((key) => born.get(key))).toMatchObject(Array(2).fill({ state: "SKIPPED", skipCause: "branch" }));
  expect(await drive(ctx, await makeWorker(ctx))).toEqual(["pay", "ship"]);
  expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
  expect([...(await attemptsOf(ctx, runId, "pay_later")), ...(await attemptsOf(ctx, runId, "refund"))]).toEqual([]);
});
