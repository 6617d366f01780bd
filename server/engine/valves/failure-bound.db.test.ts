import { and, asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alerts } from "@/db/schema/alerts";
import { audit } from "@/db/schema/platform";
import { valves } from "@/db/schema/valves";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, type MadePipeline, makeFence, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import type { WorkerLease } from "@/server/domain/run/work";
import { DEFAULT_BOUND } from "@/server/domain/valve/bound";
import { createSilenceWatch } from "@/server/engine/alerts/watch-silence";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { loadRun } from "@/server/engine/runs/load-run";
import { releaseValve, stopRelease } from "./change-valve";
import { loadBound, setBound } from "./failure-bound";
import { listDeferred } from "./list-deferred";
import { releaseDue } from "./release-due";
import { watchBounds } from "./watch-bounds";

let database: TestDatabase;
let ctx: Ctx;
let editor: Ctx;
let project: { id: string };
let fence: Fence;
let pipeline: MadePipeline;
let worker: WorkerLease;
let group: string;
let aheadMs = 0;
const TASK = "test.fragile";
const bound = { ...DEFAULT_BOUND, enabled: true, minimum: 5, rate: 60, successes: 3 };
const once = { policy: "none" } as const;

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  ctx = { ...ctx, clock: { ...ctx.clock, database: () => new Date(Date.now() + aheadMs) } };
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  aheadMs = 0;
  project = await makeProject(ctx);
  editor = actingAs(ctx, await makeUser(ctx, project, "editor"));
  group = `g-${ctx.ids.randomHex(4)}`;
  worker = await makeWorker(ctx, [group]);
  pipeline = await makePipeline(ctx, project, [
    node("a", [], { group, with: { task: TASK }, retry: once }),
    node("b", [], { group, retry: once }),
  ]);
});
afterAll(() => database.close());

const setOn = (revision = 0) => setBound(editor, { projectId: project.id, bound, revision });
type End = "succeeded" | "failed";

/** Starts so many runs and works off all that is ready; `a` ends as told, the last end for all others, and `b` succeeds. */
async function work(runs: number, ...ends: readonly [...End[], End]): Promise<string[]> {
  let ended = 0;
  for (let n = 0; n < runs; n++) await startRun(ctx, pipeline);
  return drive(ctx, worker, {
    groups: [group],
    limit: 20,
    end: ({ key }) => ({ kind: key === "a" ? (ends[Math.min(ended++, ends.length - 1)] as End) : "succeeded" }),
  });
}
const look = () => watchBounds(ctx, fence);
const deferred = () => listDeferred(editor, { projectId: project.id });
const verbs = async () =>
  (await ctx.db.select().from(audit).where(eq(audit.projectId, project.id)).orderBy(asc(audit.at))).map(({ verb }) => verb);

describe("a task that fails too often", () => {
  it("has its new work deferred to the review queue with its cause, while other tasks go on; audited, and told (EXC-10)", async () => {
    const { revision } = await setOn();
    await work(6, "failed");
    await look();
    const runId = await startRun(ctx, pipeline);
    expect(await work(1, "failed")).toEqual(["b", "b"]);
    const [found, ...others] = await deferred();
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      valve: { kind: "task", target: TASK, held: 2, deferring: true },
      bound: { failed: 6, succeeded: 0, percent: 50, policy: revision },
    });
    expect(found?.nodes[0]).toMatchObject({ runId, key: "a" });
    expect((await loadRun(ctx, runId)).nodes.find(({ key }) => key === "a")?.waitsFor).toMatchObject({
      kind: "valve",
      reason: expect.stringContaining("6 of 6 attempts failed"),
    });
    const [row] = await ctx.db
      .select()
      .from(audit)
      .where(and(eq(audit.projectId, project.id), eq(audit.verb, "valve.defer")));
    expect(row).toMatchObject({ after: { policy: revision, failed: 6, percent: 50 } });
    const watch = createSilenceWatch();
    await watch(ctx, fence);
    await watch(ctx, fence);
    const told = () =>
      ctx.db
        .select()
        .from(alerts)
        .where(and(eq(alerts.projectId, project.id), eq(alerts.key, `silence:deferred/${TASK}`)));
    expect(await told()).toMatchObject([{ code: "APOLLO_SILENT_TASK_503", resolvedAt: null }]);
    await releaseValve(ctx, { no: found?.valve.no ?? 0, rate: 600, reason: "mended" });
    await watch(ctx, fence);
    expect(await told()).toMatchObject([{ resolvedAs: "itself" }]);
  });

  it("is tried by a trickle, and goes on by itself after so many successes in a row; not before (EXC-10)", async () => {
    await setOn();
    await work(6, "failed");
    await look();
    for (let n = 0; n < 7; n++) await startRun(ctx, pipeline);
    await look();
    aheadMs = 3_000;
    await releaseDue(ctx, fence);
    expect((await work(1, "succeeded", "succeeded", "succeeded", "failed")).filter((key) => key === "a")).toHaveLength(4);
    await look();
    expect(await deferred()).toHaveLength(1);
    aheadMs = 6_000;
    await releaseDue(ctx, fence);
    expect((await work(1, "succeeded")).filter((key) => key === "a")).toHaveLength(3);
    await look();
    expect(await deferred()).toEqual([]);
    aheadMs = 20_000;
    await releaseDue(ctx, fence);
    await releaseDue(ctx, fence);
    const [valve] = await ctx.db.select().from(valves).where(eq(valves.projectId, project.id));
    expect(valve).toMatchObject({ state: "ended", deferring: false });
    expect(await verbs()).toEqual(["routing.setBound", "valve.defer", "valve.recover"]);
    await look();
    expect(await deferred()).toEqual([]);
  });

  it("is deferred anew where it fails as before while what waited goes (EXC-10)", async () => {
    await setOn();
    await work(6, "failed");
    await look();
    for (let n = 0; n < 12; n++) await startRun(ctx, pipeline);
    const [first] = await deferred();
    await releaseValve(ctx, { no: first?.valve.no ?? 0, rate: 600, reason: "mended" });
    aheadMs = 1_000;
    await releaseDue(ctx, fence);
    await work(1, "failed");
    aheadMs = 2_000;
    await look();
    expect(await deferred()).toMatchObject([{ valve: { no: first?.valve.no, state: "releasing", rate: 60 }, bound: { succeeded: 0 } }]);
  });

  it("stays as a person put it: whoever stops the trickle has taken it over (EXC-10)", async () => {
    await setOn();
    await work(6, "failed");
    await look();
    await look();
    const [found] = await deferred();
    await stopRelease(ctx, { no: found?.valve.no ?? 0, reason: "not yet" });
    await look();
    const [valve] = await ctx.db.select().from(valves).where(eq(valves.projectId, project.id));
    expect(valve).toMatchObject({ state: "closed", deferring: false });
  });

  it("goes on while the bound is off, while too few have ended, and while enough succeed (EXC-10)", async () => {
    await work(6, "failed");
    await look();
    expect(await deferred()).toEqual([]);
    const { revision } = await setOn();
    await work(7, "succeeded");
    await look();
    expect(await deferred()).toEqual([]);
    await work(3, "failed");
    await look();
    expect(await deferred()).toHaveLength(1);
    expect(revision).toBe(1);
  });
});

it("a bound is set by those who manage the routing, with its revision, and audited (EXC-10)", async () => {
  await setOn();
  await expect(setOn()).rejects.toMatchObject({ code: "stale" });
  expect(await loadBound(editor, { projectId: project.id })).toMatchObject({ bound, revision: 1 });
  const viewer = actingAs(ctx, await makeUser(ctx, project, "viewer"));
  await expect(setBound(viewer, { projectId: project.id, bound, revision: 1 })).rejects.toMatchObject({ code: "forbidden" });
});
