import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, eventsOf, makePipeline, makeWorker, reportOf, runOf, startRun, statesOf } from "@/db/testing/runs";
import type { Ctx } from "@/server/engine/context";
import { claimReady } from "./claim";
import { markSuccess } from "./mark-success";
import { settle } from "./settle";

let database: TestDatabase;
let ctx: Ctx;
let other: Ctx;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  other = testCtx(database.another().db);
  project = await makeProject(ctx);
});
afterAll(() => database.close());

describe("a failure that takes its siblings with it", () => {
  it("leaves none of them running or queued, however claims race with it (B64)", async () => {
    const group = "fail-fast";
    const siblings = Array.from({ length: 20 }, (_, n) => node(`n${n}`, [], { group }));
    const pipeline = await makePipeline(ctx, project, [node("bad", [], { group, priority: 100 }), ...siblings], { onFailure: "fail" });
    const [mine, theirs] = [await makeWorker(ctx, [group]), await makeWorker(ctx, [group])];
    for (let race = 0; race < 12; race++) {
      const runId = await startRun(ctx, pipeline);
      const [bad] = await claimReady(ctx, { worker: mine, groups: [group], limit: 1 });
      if (bad?.key !== "bad") throw new Error("the failing node was not first in line");
      const report = reportOf(bad, { kind: "failed", retryable: false });
      const claims = Array.from({ length: 6 }, () => claimReady(other, { worker: theirs, groups: [group], limit: 2 }));
      const [, ...taken] = await Promise.all([settle(ctx, { worker: mine, reports: [report], free: {} }), ...claims]);
      const states = Object.values(await statesOf(ctx, runId));
      expect(new Set(states)).toEqual(new Set(["FAILED", "CANCELED"]));
      expect((await runOf(ctx, runId)).state).toBe("FAILED");
      const reports = taken.flat().map((claimed) => reportOf(claimed));
      const { settlements } = await settle(other, { worker: theirs, reports, free: {} });
      expect(new Set(settlements.map(({ result }) => result))).toEqual(new Set(reports.length > 0 ? ["superseded"] : []));
    }
  });
});

describe("a person's mark", () => {
  it("always ends as the person's action implies, while reports of other nodes race with it (B70)", async () => {
    const group = "marks";
    const pipeline = await makePipeline(ctx, project, [
      node("a", [], { group }),
      node("x", [], { group }),
      node("b", ["a", "x"], { group }),
      node("c", ["b"], { group }),
    ]);
    const worker = await makeWorker(ctx, [group]);
    for (let race = 0; race < 15; race++) {
      const runId = await startRun(ctx, pipeline);
      const claimed = await claimReady(ctx, { worker, groups: [group], limit: 2 });
      const [a, x] = ["a", "x"].map((key) => claimed.find((each) => each.key === key));
      if (!a || !x) throw new Error("a and x were not ready");
      await settle(ctx, { worker, reports: [reportOf(a, { kind: "failed", retryable: false })], free: {} });
      await Promise.all([
        markSuccess(ctx, { runId, key: "a", reason: "it has happened", output: race }),
        settle(other, { worker, reports: [reportOf(x)], free: {} }),
      ]);
      expect(await drive(ctx, worker, { groups: [group] })).toEqual(["b", "c"]);
      expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
      expect((await eventsOf(ctx, runId)).filter(({ nodeKey, event }) => nodeKey === "b" && event === "ready")).toHaveLength(1);
    }
  });
});
