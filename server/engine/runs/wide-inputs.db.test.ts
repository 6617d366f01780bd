import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type NodeInput, node, waitNode } from "@/db/testing/plans";
import { makePipeline, makeWorker, nodesByKey, reportOf, startRun } from "@/db/testing/runs";
import { MAX_INPUT_BYTES, type WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { claimReady } from "./claim";
import { settle } from "./settle";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  project = await makeProject(ctx);
});
afterAll(() => database.close());

const PARENTS = ["p0", "p1", "p2", "p3", "p4"];
/** Compresses to next to nothing, so that only its true length tells. */
const LARGE = "x".repeat(900_000);
const all = { task: "test.work", input: Object.fromEntries(PARENTS.map((key) => [key, `{{ nodes.${key}.output }}`])) };
const two = { task: "test.work", input: { a: "{{ nodes.p0.output }}", b: "{{ nodes.p1.output }}" } };

/** Five parents that each give a large output, and what joins them. */
async function wide(group: string, joins: readonly NodeInput[]): Promise<{ runId: string; worker: WorkerLease }> {
  const pipeline = await makePipeline(ctx, project, [...PARENTS.map((key) => node(key, [], { group })), ...joins]);
  const worker = await makeWorker(ctx, [group]);
  return { runId: await startRun(ctx, pipeline), worker };
}

async function endParents(worker: WorkerLease, group: string, free: Record<string, number>) {
  const claimed = await claimReady(ctx, { worker, groups: [group], limit: 5 });
  expect(claimed).toHaveLength(5);
  // Megabytes may take longer than a run may stay with its worker.
  const stayedSince = new Date(Date.now() + 60_000);
  const reports = claimed.map((each) => ({ ...reportOf(each, { kind: "succeeded", output: LARGE }), stayedSince }));
  return settle(ctx, { worker, reports, free });
}

describe("a join of large outputs", () => {
  it("is claimed beside the others of its group, with sizes in place of outputs that are too large together (B82)", async () => {
    const group = "claimed";
    const joins = [
      node("huge", PARENTS, { group, with: all }),
      node("fits", PARENTS, { group, with: two }),
      node("only_order", PARENTS, { group }),
    ];
    const { runId, worker } = await wide(group, joins);
    await endParents(worker, group, {});
    const claimed = new Map((await claimReady(ctx, { worker, groups: [group], limit: 8 })).map((each) => [each.key, each]));
    expect([...claimed.keys()].sort()).toEqual(["fits", "huge", "only_order"]);
    const bytes = PARENTS.length * (LARGE.length + 2);
    expect(claimed.get("huge")).toMatchObject({ outputs: {}, inputTooLarge: { bytes, limit: MAX_INPUT_BYTES } });
    expect(Object.keys(claimed.get("fits")?.outputs ?? {})).toEqual(["p0", "p1"]);
    expect(claimed.get("fits")?.outputs.p0).toBe(LARGE);
    expect(claimed.get("only_order")?.outputs).toEqual({});
    expect(claimed.get("only_order")?.inputTooLarge).toBeUndefined();
    const huge = claimed.get("huge");
    if (!huge) throw new Error("the join was not claimed");
    const failed = reportOf(huge, { kind: "failed", code: "APOLLO_INPUT_TOO_LARGE_413", retryable: false });
    await settle(ctx, { worker, reports: [failed], free: {} });
    expect((await nodesByKey(ctx, runId)).get("huge")).toMatchObject({ errorCode: "APOLLO_INPUT_TOO_LARGE_413", attempts: 1 });
  });

  it("is handed on with its sizes alone, though its outputs are of the same commit (B82)", async () => {
    const group = "handed";
    const { worker } = await wide(group, [node("huge", PARENTS, { group, with: all })]);
    const { handedOn } = await endParents(worker, group, { [group]: 1 });
    expect(handedOn).toMatchObject([{ key: "huge", outputs: {}, inputTooLarge: { limit: MAX_INPUT_BYTES } }]);
  });

  it("fails a wait whose end is asked of too much, and loads none of it (B82)", async () => {
    const group = "waits";
    const until = PARENTS.map((key) => `{{ nodes.${key}.output }}`).join("");
    const { runId, worker } = await wide(group, [waitNode("wait", PARENTS, { until })]);
    await endParents(worker, group, {});
    expect((await nodesByKey(ctx, runId)).get("wait")?.errorMessage).toContain(`at most ${MAX_INPUT_BYTES} are allowed`);
  });
});
