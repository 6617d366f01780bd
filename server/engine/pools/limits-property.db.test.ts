import { and, eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workers } from "@/db/schema/platform";
import { nodeRuns, slots } from "@/db/schema/runs";
import { makeProject, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { runs } from "@/db/testing/property";
import { type MadePipeline, makeFence, makePipeline, makeWorker, reportOf, startRun } from "@/db/testing/runs";
import { slotLeaks } from "@/db/testing/slots";
import { DomainError } from "@/server/domain/failure";
import { groupKey, poolKey } from "@/server/domain/pool/limit-key";
import type { ClaimedNode, WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { cancelNode } from "@/server/engine/runs/cancel-node";
import { cancelRun } from "@/server/engine/runs/cancel-run";
import { claimReady } from "@/server/engine/runs/claim";
import { endOverdueAttempts } from "@/server/engine/runs/end-overdue-attempts";
import { endOverdueDeadlines } from "@/server/engine/runs/end-overdue-deadlines";
import { markSuccess } from "@/server/engine/runs/mark-success";
import { pauseRun } from "@/server/engine/runs/pause-run";
import { queueDueRetries } from "@/server/engine/runs/queue-due-retries";
import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";
import { resumeRun } from "@/server/engine/runs/resume-run";
import { retryNode } from "@/server/engine/runs/retry-node";
import { RunMemory } from "@/server/engine/runs/run-memory";
import { settle } from "@/server/engine/runs/settle";
import { skipNode } from "@/server/engine/runs/skip-node";
import { savePool } from "./save-pool";
import { setGroupLimit } from "./set-group-limit";
import { topUp } from "./top-up";

const ENDS = ["succeeded", "failed", "timedOut", "handedBack"] as const;
const CREW = 3;
const POOLS = ["p", "q"] as const;
const GROUPS = ["ga", "gb"] as const;
const reason = "a test";

const pick = fc.nat({ max: 1_000 });
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("claim" as const), crew: fc.nat({ max: CREW - 1 }), limit: fc.integer({ min: 1, max: 6 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("settle" as const),
      crew: fc.nat({ max: CREW - 1 }),
      end: fc.constantFrom(...ENDS),
      pick,
      again: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const), crew: fc.nat({ max: CREW - 1 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("cancelNode" as const, "skip" as const, "markSuccess" as const, "retry" as const), pick }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("cancelRun" as const, "pause" as const, "resume" as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("overdue" as const, "deadline" as const, "sweep" as const), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("pool" as const), name: fc.constantFrom(...POOLS), slots: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("group" as const),
      name: fc.constantFrom(...GROUPS),
      slots: fc.option(fc.integer({ min: 1, max: 3 })),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

let database: TestDatabase;
let fence: Fence;
const crewDbs: Ctx[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  const ports = recordingPorts();
  for (let made = 0; made < CREW; made++) crewDbs.push(testCtx(database.another().db, { ports }));
  fence = await makeFence(testCtx(database.db));
});
afterAll(() => database.close());

/** Everything of one history: groups, pools and workers of its own. */
class World {
  readonly held: ClaimedNode[][] = Array.from({ length: CREW }, () => []);
  readonly leases: WorkerLease[] = [];
  readonly runIds: string[] = [];
  /** The first of the crew settles by what it remembers, as a worker does; the others under locks. */
  readonly memory = new RunMemory(() => performance.now());

  constructor(
    readonly ctx: Ctx,
    readonly project: { readonly id: string },
    readonly mark: string,
  ) {}

  static async make(): Promise<World> {
    const ctx = testCtx(database.db, { ports: recordingPorts() });
    const world = new World(ctx, await makeProject(ctx), ctx.ids.randomHex(3));
    for (const name of POOLS) await savePool(ctx, { projectId: world.project.id, name, slots: 2 });
    for (const own of crewDbs) world.leases.push(await makeWorker(own, world.groups));
    const [ga = "", gb = ""] = world.groups;
    const pipeline: MadePipeline = await makePipeline(ctx, world.project, [
      node("a", [], { group: ga, pool: "p", retry: { retries: 1, delays: ["1ms"] } }),
      node("b", ["a"], { group: gb, pool: "q" }),
      node("c", [], { group: gb, pool: "p" }),
      node("d", ["c"], { group: ga }),
    ]);
    for (let made = 0; made < 5; made++) world.runIds.push(await startRun(ctx, pipeline));
    return world;
  }

  get groups(): string[] {
    return GROUPS.map((name) => `${name}-${this.mark}`);
  }

  async do(step: Step): Promise<void> {
    try {
      await this.#do(step);
    } catch (error) {
      // A refusal is an answer as any other.
      if (!(error instanceof DomainError)) throw error;
    }
  }

  async #do(step: Step): Promise<unknown> {
    const { ctx } = this;
    const { kind } = step;
    if (kind === "claim" || kind === "settle" || kind === "kill") return this.#work(step);
    if (kind === "pool") return savePool(ctx, { projectId: this.project.id, name: step.name, slots: step.slots });
    if (kind === "group") return setGroupLimit(ctx, { group: `${step.name}-${this.mark}`, slots: step.slots, reason });
    const runId = this.runIds[step.pick % this.runIds.length] ?? "";
    const at = { runId, reason, key: "abcd"[step.pick % 4] ?? "a" };
    switch (kind) {
      case "cancelNode":
        return cancelNode(ctx, at);
      case "skip":
        return skipNode(ctx, at);
      case "markSuccess":
        return markSuccess(ctx, at);
      case "retry":
        return retryNode(ctx, at);
      case "cancelRun":
        return cancelRun(ctx, { runId, reason });
      case "pause":
        return pauseRun(ctx, { runId, reason });
      case "resume":
        return resumeRun(ctx, { runId, reason });
      case "overdue":
        await ctx.db.update(nodeRuns).set({ timeoutAt: sql`clock_timestamp() - interval '1 minute'` }).where(this.#running(runId));
        return endOverdueAttempts(ctx, fence);
      case "deadline":
        await ctx.db.update(nodeRuns).set({ deadlineAt: sql`clock_timestamp() - interval '1 minute'` }).where(this.#running(runId));
        return endOverdueDeadlines(ctx, fence);
      case "sweep":
        return queueDueRetries(ctx, fence);
    }
  }

  readonly #running = (runId: string) => and(eq(nodeRuns.runId, runId), eq(nodeRuns.state, "RUNNING"));

  async #work(step: Extract<Step, { crew: number }>): Promise<unknown> {
    const own = crewDbs[step.crew] as Ctx;
    const worker = this.leases[step.crew] as WorkerLease;
    const held = this.held[step.crew] as ClaimedNode[];
    const memory = step.crew === 0 ? { memory: this.memory } : {};
    if (step.kind === "claim") {
      const claimed = await claimReady(own, { worker, groups: this.groups, limit: step.limit });
      memory.memory?.claimed(claimed, worker);
      return void held.push(...claimed);
    }
    if (step.kind === "settle") {
      const claimed = held[step.pick % Math.max(1, held.length)];
      if (!claimed) return null;
      // What is not taken off is reported once more later: too late.
      if (!step.again) held.splice(held.indexOf(claimed), 1);
      const free = Object.fromEntries(this.groups.map((group) => [group, 2]));
      const { handedOn } = await settle(own, { worker, reports: [reportOf(claimed, { kind: step.end })], free, ...memory });
      return void held.push(...handedOn);
    }
    await own.db.update(workers).set({ expiresAt: sql`clock_timestamp()` }).where(eq(workers.id, worker.id));
    await recoverLostWorkers(own, fence);
    this.leases[step.crew] = await makeWorker(own, this.groups);
    return null;
  }

  /** Taken slots and limit of each key; null where it has none. */
  async use(): Promise<ReadonlyMap<string, { taken: number; limit: number | null }>> {
    const keys = [...POOLS.map((name) => poolKey(this.project.id, name)), ...this.groups.map(groupKey)];
    const entries = keys.map(async (key) => {
      const [row] = await this.ctx.db.execute<{ taken: number; limit: number | null }>(sql`
        select (select count(run_id)::integer from slots where key = ${key}) as taken, coalesce(
          (select slots from pools where 'pool:' || project_id || ':' || name = ${key}),
          (select slots from group_limits where 'group:' || name = ${key})) as limit
      `);
      return [key, row ?? { taken: 0, limit: null }] as const;
    });
    return new Map(await Promise.all(entries));
  }
}

describe("limits", () => {
  it("never leak and are never exceeded, whatever claims, ends, losses, people and changes of limits come at once (RUN-5, WRK-2)", async () => {
    const history = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(history, async (batches) => {
        const world = await World.make();
        let before = await world.use();
        for (const batch of batches) {
          await Promise.all(batch.map((each) => world.do(each)));
          expect(await slotLeaks(world.ctx.db)).toEqual([]);
          const after = await world.use();
          for (const [key, { taken, limit }] of after) {
            const was = before.get(key);
            // A batch in which the limit changed may have started under either; what ran before a lowering runs on.
            const most = Math.max(limit ?? Number.POSITIVE_INFINITY, was?.limit ?? Number.POSITIVE_INFINITY, was?.taken ?? 0);
            expect(taken, key).toBeLessThanOrEqual(was?.limit === null ? Number.POSITIVE_INFINITY : most);
          }
          before = after;
        }
        for (const runId of world.runIds) await world.do({ kind: "cancelRun", pick: world.runIds.indexOf(runId) });
        await topUp(world.ctx);
        for (const [key, { taken, limit }] of await world.use()) {
          expect([key, taken], key).toEqual([key, 0]);
          expect(await world.ctx.db.$count(slots, and(eq(slots.key, key), eq(slots.retired, false)))).toBe(limit ?? 0);
        }
      }),
      runs(25),
    );
  }, 240_000);
});
