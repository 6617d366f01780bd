import { desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Db } from "@/db/client";
import { alerts } from "@/db/schema/alerts";
import { breakerAsks } from "@/db/schema/breakers";
import { audit, workers } from "@/db/schema/platform";
import { routingVersions } from "@/db/schema/routing";
import { errorEvents, nodeRuns } from "@/db/schema/runs";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type NodeInput, node, type SpecInput } from "@/db/testing/plans";
import { eventsOf, makeFence, makePipeline, makeWorker, nodesByKey, reportOf, runOf, startRun, statesOf } from "@/db/testing/runs";
import type { RoutingRuleInput } from "@/server/domain/routing/rule";
import type { ClaimedNode, WorkerLease } from "@/server/domain/run/work";
import { decideNew } from "@/server/engine/alerts/decide-new";
import { listBreakers } from "@/server/engine/breaker/list-breakers";
import { watchBreakers } from "@/server/engine/breaker/watch-breakers";
import type { Ctx } from "@/server/engine/context";
import { listBroken } from "@/server/engine/health/list-broken";
import { claimReady } from "@/server/engine/runs/claim";
import { endOverdueAttempts } from "@/server/engine/runs/end-overdue-attempts";
import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";
import { resumeRun } from "@/server/engine/runs/resume-run";
import { RunMemory } from "@/server/engine/runs/run-memory";
import { settle } from "@/server/engine/runs/settle";
import { listRoutingVersions, loadRoutingTable } from "./load-routing-table";
import { loadRouting, MAX_AGE_MS } from "./routing-tables";
import { saveRoutingTable } from "./save-routing-table";
import { simulateRouting } from "./simulate-routing";

let database: TestDatabase;
let ctx: Ctx;
let editor: Ctx;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
});
beforeEach(async () => {
  project = await makeProject(ctx);
  editor = actingAs(ctx, await makeUser(ctx, project, "editor"));
});
afterAll(() => database.close());

const CODE = "TEST_STEP_BROKEN_500";
const RETRY = { retry: { retries: 3, delays: ["10m"] } };

async function rules(...given: Partial<RoutingRuleInput>[]): Promise<number> {
  const { version } = await loadRoutingTable(editor, { projectId: project.id });
  const named = given.map((rule, index) => ({ name: `rule ${index + 1}`, pattern: "*_BROKEN_*", action: "review" as const, ...rule }));
  return (await saveRoutingTable(editor, { projectId: project.id, version, rules: named })).version;
}

interface Begun {
  readonly runId: string;
  readonly group: string;
  readonly worker: WorkerLease;
  readonly memory: RunMemory | undefined;
  readonly first: ClaimedNode;
}

async function begin(nodes: (group: string) => NodeInput[], options: { memory?: boolean; spec?: Partial<SpecInput> } = {}): Promise<Begun> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const runId = await startRun(ctx, await makePipeline(ctx, project, nodes(group), options.spec));
  const worker = await makeWorker(ctx, [group]);
  const memory = options.memory ? new RunMemory(() => performance.now()) : undefined;
  const [first] = await claimReady(ctx, { worker, groups: [group], limit: 1, memory });
  if (!first) throw new Error("nothing was ready");
  return { runId, group, worker, memory, first };
}

const end = ({ worker, memory }: Begun, claimed: ClaimedNode, how: Parameters<typeof reportOf>[1] = { kind: "failed" }) =>
  settle(ctx, { worker, reports: [reportOf(claimed, how)], free: {}, ...(memory ? { memory } : {}) });

const stepOf = async (runId: string, key = "a") =>
  (await eventsOf(ctx, runId)).findLast((event) => event.nodeKey === key && event.data.code);

describe("a failure that a rule routes", () => {
  for (const memory of [false, true]) {
    const how = memory ? "by what the worker remembers" : "under locks";

    it(`goes to a person, and the step says which rule of which version decided, ${how} (EXC-5)`, async () => {
      const version = await rules({ name: "to the owner" });
      const begun = await begin((group) => [node("a", [], { group, ...RETRY })], { memory });
      await end(begun, begun.first);
      expect(await statesOf(ctx, begun.runId)).toEqual({ a: "MANUAL_REVIEW" });
      expect((await runOf(ctx, begun.runId)).state).toBe("PAUSED");
      expect(await stepOf(begun.runId)).toMatchObject({
        event: "sentToReview",
        cause: expect.stringContaining(`rule "to the owner" of version ${version}`),
        data: { route: { rule: "to the owner", version, action: "review" }, code: CODE },
      });
      expect(await ctx.db.$count(errorEvents, eq(errorEvents.runId, begun.runId))).toBe(1);
    });

    it(`is switched to its fallback, whose output stands for its own, ${how} (EXC-5)`, async () => {
      await rules({ action: "degrade" });
      const input = { task: "test.work", input: "{{ nodes.a.output }}" };
      const begun = await begin(
        (group) => [node("a", [], { group, fallback: "z" }), node("b", ["a"], { group, with: input }), node("z", [], { group })],
        { memory },
      );
      await end(begun, begun.first);
      expect(await statesOf(ctx, begun.runId)).toEqual({ a: "SKIPPED", b: "PENDING", z: "QUEUED" });
      const claim = () => claimReady(ctx, { worker: begun.worker, groups: [begun.group], limit: 5, memory: begun.memory });
      const [z] = await claim();
      await end(begun, z as ClaimedNode, { kind: "succeeded", output: { from: "z" } });
      const [b] = await claim();
      expect(b).toMatchObject({ key: "b", outputs: { a: { from: "z" } } });
      await end(begun, b as ClaimedNode, { kind: "succeeded" });
      expect((await runOf(ctx, begun.runId)).state).toBe("SUCCESS");
    });

    it(`pauses its run: what is queued is held, and goes on when a person resumes it, ${how} (EXC-5)`, async () => {
      await rules({ action: "pause" });
      const begun = await begin((group) => [node("a", [], { group, ...RETRY }), node("c", [], { group })], { memory });
      await end(begun, begun.first);
      const other = begun.first.key === "a" ? "c" : "a";
      const nodes = await nodesByKey(ctx, begun.runId);
      expect([nodes.get(begun.first.key)?.state, nodes.get(other)?.state, nodes.get(other)?.held]).toEqual(["RETRYING", "QUEUED", true]);
      expect(await runOf(ctx, begun.runId)).toMatchObject({ state: "PAUSED", pausedByPerson: true });
      expect(await claimReady(ctx, { worker: begun.worker, groups: [begun.group], limit: 5 })).toEqual([]);
      await resumeRun(editor, { runId: begun.runId, reason: "it is well again" });
      expect(await claimReady(ctx, { worker: begun.worker, groups: [begun.group], limit: 5 })).toHaveLength(1);
    }, 20_000);
  }

  for (const [action, rests] of [
    ["pause", "RETRYING"],
    ["degrade", "SKIPPED"],
  ] as const) {
    it(`is told to people where a rule's ${action} leaves it ${rests}, which is no failure for good (EXC-8, EXC-5)`, async () => {
      await rules({ action });
      const begun = await begin((group) => [node("a", [], { group, ...RETRY, fallback: "z" }), node("z", [], { group })]);
      await end(begun, begun.first);
      expect((await statesOf(ctx, begun.runId)).a).toBe(rests);
      await decideNew(ctx, await makeFence(ctx));
      expect(await ctx.db.select().from(alerts).where(eq(alerts.projectId, project.id))).toMatchObject([{ code: CODE, nodeKey: "a" }]);
      const broken = JSON.stringify(await listBroken(ctx, project.id));
      expect(broken.includes(begun.runId)).toBe(action === "pause");
    });
  }

  it("takes the worker out that ran it, with the rule that asked, while the node goes on by its policy; one for memory waits for three (EXC-5, EXC-6)", async () => {
    const fence = await makeFence(ctx);
    await rules({ name: "bad disk", action: "breaker" }, { name: "memory", pattern: "*_OOM_*", action: "breaker" });
    const [begun, killed] = [
      await begin((group) => [node("a", [], { group, ...RETRY })]),
      await begin((group) => [node("a", [], { group, ...RETRY })]),
    ];
    await end(begun, begun.first);
    await end(killed, killed.first, { kind: "failed", code: "APOLLO_WORKER_OOM_137" });
    expect(await statesOf(ctx, begun.runId)).toEqual({ a: "RETRYING" });
    await watchBreakers(ctx, fence);
    const open = await listBreakers(ctx);
    expect(open.find(({ workerId }) => workerId === begun.worker.id)).toMatchObject({
      state: "open",
      why: { cause: "rule", rule: "bad disk", failures: [{ code: CODE, runId: begun.runId }] },
    });
    expect(open.map(({ workerId }) => workerId)).not.toContain(killed.worker.id);
    expect(await ctx.db.$count(breakerAsks)).toBe(0);
  });

  it("hands a fallback on with the output that a reader in the same commit needs (EXC-5)", async () => {
    await rules({ action: "degrade" });
    const input = { task: "test.work", input: "{{ nodes.a.output }}" };
    const begun = await begin((group) => [
      node("a", [], { group, fallback: "z" }),
      node("b", ["a"], { group, with: input }),
      node("z", [], { group }),
    ]);
    const free = { [begun.group]: 1 };
    const [z] = (await settle(ctx, { worker: begun.worker, reports: [reportOf(begun.first, { kind: "failed" })], free })).handedOn;
    const done = reportOf(z as ClaimedNode, { kind: "succeeded", output: 7 });
    const [b] = (await settle(ctx, { worker: begun.worker, reports: [done], free })).handedOn;
    expect(b).toMatchObject({ key: "b", outputs: { a: 7 } });
  });

  it("is routed by the leader's loops as by workers: a lost worker, an attempt past its time; a pause holds the run (EXC-5, RUN-2)", async () => {
    const fence = await makeFence(ctx);
    await rules({ name: "lost", pattern: "*_WORKER_LOST_*", action: "pause" }, { name: "late", pattern: "*_TIMEOUT_*", action: "review" });
    const lost = await begin((group) => [node("a", [], { group, ...RETRY })]);
    await ctx.db
      .update(workers)
      .set({ expiresAt: new Date(0) })
      .where(eq(workers.id, lost.worker.id));
    await recoverLostWorkers(ctx, fence);
    expect((await nodesByKey(ctx, lost.runId)).get("a")).toMatchObject({ state: "QUEUED", held: true });
    expect((await runOf(ctx, lost.runId)).state).toBe("PAUSED");
    const late = await begin((group) => [node("a", [], { group, ...RETRY })]);
    await ctx.db
      .update(nodeRuns)
      .set({ timeoutAt: new Date(0) })
      .where(eq(nodeRuns.runId, late.runId));
    await endOverdueAttempts(ctx, fence);
    expect(await statesOf(ctx, late.runId)).toEqual({ a: "MANUAL_REVIEW" });
    expect((await stepOf(late.runId))?.data).toMatchObject({ route: { rule: "late" }, outcome: "timed_out" });
  });

  it("asks for the pipeline, its labels and its class as the run's own version has them (EXC-5)", async () => {
    await rules({ name: "core only", taskClass: "core" });
    const basic = await begin((group) => [node("a", [], { group, ...RETRY })]);
    const core = await begin((group) => [node("a", [], { group, ...RETRY })], { spec: { taskClass: "core" } });
    for (const each of [basic, core]) await end(each, each.first);
    expect([await statesOf(ctx, basic.runId), await statesOf(ctx, core.runId)]).toEqual([{ a: "RETRYING" }, { a: "MANUAL_REVIEW" }]);
  });
});

describe("the routing table of a process", () => {
  it("is asked for once, however many failures it decides on, never for a success, and is never older than 3 s (EXC-5)", async () => {
    let asked = 0;
    let nowMs = 1_000;
    const counting = new Proxy(ctx.db, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== "function") return value;
        if (name === "execute") asked += 1;
        return value.bind(target) as unknown;
      },
    }) as Db;
    const timed: Ctx = { ...ctx, clock: { ...ctx.clock, monotonicMs: () => nowMs } };
    const at = async () => (await loadRouting(timed, counting, [project.id])).get(project.id)?.version;
    expect([await at(), await at(), await at(), asked]).toEqual([0, 0, 0, 1]);
    // Saved by another process: nobody tells this one.
    await ctx.db.insert(routingVersions).values({ projectId: project.id, version: 5, rules: [], createdBy: "another" });
    nowMs += MAX_AGE_MS - 1;
    expect([await at(), asked]).toEqual([0, 1]);
    nowMs += 1;
    expect([await at(), asked]).toEqual([5, 2]);
    expect((await loadRouting(timed, counting, [])).size + asked).toBe(2);
  });

  it("costs a worker nothing for a success, and one question for all that fail within 3 s (EXC-5)", async () => {
    let asked = 0;
    const counting = new Proxy(ctx.db, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== "function") return value;
        if (name !== "execute") return value.bind(target) as unknown;
        return (query: object) => {
          if (JSON.stringify(query).includes("routing_versions")) asked += 1;
          return value.call(target, query) as unknown;
        };
      },
    }) as Db;
    const end = async (how: "succeeded" | "failed") => {
      const begun = await begin((group) => [node("a", [], { group })], { memory: true });
      const report = reportOf(begun.first, { kind: how });
      await settle(
        { ...ctx, db: counting },
        { worker: begun.worker, reports: [report], free: {}, ...(begun.memory ? { memory: begun.memory } : {}) },
      );
      return asked;
    };
    expect([await end("succeeded"), await end("succeeded"), await end("failed"), await end("failed"), await end("failed")]).toEqual([
      0, 0, 1, 1, 1,
    ]);
  });

  it("that cannot be read routes nothing, and a run goes on by its own policy (EXC-5, RUN-7)", async () => {
    await ctx.db.insert(routingVersions).values({ projectId: project.id, version: 1, rules: [{ of: "a later version" }], createdBy: "x" });
    const begun = await begin((group) => [node("a", [], { group, ...RETRY })]);
    await end(begun, begun.first);
    expect(await statesOf(ctx, begun.runId)).toEqual({ a: "RETRYING" });
  });
});

describe("changing the routing table", () => {
  const rule = { name: "r", pattern: "*", action: "fail" } as const;
  const save = (who: Ctx, version: number) => saveRoutingTable(who, { projectId: project.id, version, rules: [rule], note: "why" });

  it("begins with what is shipped, keeps every version, and says who saved it and why (EXC-5, AUD-2)", async () => {
    expect(await loadRoutingTable(editor, { projectId: project.id })).toMatchObject({ version: 0, savedBy: null, rules: [{}, {}, {}] });
    expect(await save(editor, 0)).toEqual({ version: 1 });
    expect(await save(editor, 1)).toEqual({ version: 2 });
    const { items } = await listRoutingVersions(editor, { projectId: project.id });
    expect(items.map(({ version }) => version)).toEqual([2, 1, 0]);
    expect(items[0]).toMatchObject({ note: "why", savedBy: expect.any(String) });
    const page = await listRoutingVersions(editor, { projectId: project.id, limit: 1 });
    expect(page.nextCursor).toBe("2");
    const rest = await listRoutingVersions(editor, { projectId: project.id, cursor: 2 });
    expect(rest.items.map(({ version }) => version)).toEqual([1, 0]);
  });

  it("leaves exactly one audit row with before and after, in the same commit (AUD-2)", async () => {
    await save(editor, 0);
    const rows = await ctx.db.select().from(audit).where(eq(audit.projectId, project.id)).orderBy(desc(audit.seq));
    expect(rows.filter(({ verb }) => verb === "routing.change")).toHaveLength(1);
    expect(rows[0]).toMatchObject({ reason: "why", before: { version: 0 }, after: { version: 1, rules: [rule] } });
  });

  it("is refused when somebody has saved since, also of two who save at once (PIP-4)", async () => {
    await save(editor, 0);
    await expect(save(editor, 0)).rejects.toMatchObject({ code: "stale", details: { version: 1, seen: 0 } });
    const both = await Promise.allSettled([save(editor, 1), save(editor, 1)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await loadRoutingTable(editor, { projectId: project.id })).version).toBe(2);
  });

  it("is refused to an operator, who may look and simulate; to anyone else the project does not exist (AUD-1)", async () => {
    const operator = actingAs(ctx, await makeUser(ctx, project, "operator"));
    await expect(save(operator, 0)).rejects.toMatchObject({ code: "forbidden" });
    await expect(simulateRouting(operator, { projectId: project.id })).resolves.toMatchObject({ total: 0 });
    const stranger = actingAs(ctx, await makeUser(ctx, await makeProject(ctx), "admin"));
    await expect(loadRoutingTable(stranger, { projectId: project.id })).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a simulation of a draft", () => {
  it("tells what would have gone elsewhere of the failures of 30 days, and how many were looked at; nothing is written (EXC-5)", async () => {
    const begun = await begin((group) => [node("a", [], { group, retry: { policy: "none" } })]);
    await end(begun, begun.first, { kind: "failed", code: "TEST_PAY_TIMEOUT_504" });
    const [event] = await ctx.db.select().from(errorEvents).where(eq(errorEvents.runId, begun.runId));
    const old = { ...event, id: ctx.ids.uuid(), at: new Date(Date.now() - 31 * 86_400_000) };
    await ctx.db.insert(errorEvents).values(old as typeof errorEvents.$inferInsert);
    const draft = [{ name: "wait", pattern: "*_TIMEOUT_*", action: "review" } as const];
    expect(await simulateRouting(editor, { projectId: project.id, rules: draft })).toMatchObject({
      total: 1,
      isPartial: false,
      matched: [1],
      unmatched: 0,
      rerouted: [{ from: "retry", to: "review", count: 1, codes: [{ code: "TEST_PAY_TIMEOUT_504", count: 1 }] }],
    });
    expect((await simulateRouting(editor, { projectId: project.id })).matched).toEqual([1, 0, 0]);
    expect((await loadRoutingTable(editor, { projectId: project.id })).version).toBe(0);
  });
});
