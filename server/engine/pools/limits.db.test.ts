import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workers } from "@/db/schema/platform";
import { nodeRuns, slots } from "@/db/schema/runs";
import { lockSlots } from "@/db/statements/pools/set-slots";
import { makeProject, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type NodeInput, node } from "@/db/testing/plans";
import { makeFence, makePipeline, makeWorker, nodesByKey, reportOf, startRun, statesOf } from "@/db/testing/runs";
import { mostOpen, slotLeaks } from "@/db/testing/slots";
import { groupKey, poolKey } from "@/server/domain/pool/limit-key";
import type { ClaimedNode, WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { claimReady } from "@/server/engine/runs/claim";
import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";
import { ringForgotten } from "@/server/engine/runs/ring-forgotten";
import { RunMemory } from "@/server/engine/runs/run-memory";
import { settle } from "@/server/engine/runs/settle";
import { savePool } from "./save-pool";
import { setGroupLimit } from "./set-group-limit";

let database: TestDatabase;
let ports: ReturnType<typeof recordingPorts>;
let ctx: Ctx;
let project: { id: string };
let fence: Fence;
let group: string;
let worker: WorkerLease;
beforeAll(async () => {
  database = await openTestDatabase();
  ports = recordingPorts();
  ctx = testCtx(database.db, { ports });
  project = await makeProject(ctx);
  fence = await makeFence(ctx);
});
afterAll(() => database.close());
beforeEach(async () => {
  group = `g-${ctx.ids.randomHex(4)}`;
  worker = await makeWorker(ctx, [group]);
});

const poolOf = async (slotCount: number) => {
  const name = `pool-${ctx.ids.randomHex(3)}`;
  await savePool(ctx, { projectId: project.id, name, slots: slotCount });
  return name;
};
const limitGroup = (name: string, limit: number | null) => setGroupLimit(ctx, { group: name, slots: limit, reason: "a test" });
const begin = async (nodes: readonly NodeInput[]) => startRun(ctx, await makePipeline(ctx, project, nodes));
const beginMany = async (count: number, nodes: readonly NodeInput[]) => {
  const pipeline = await makePipeline(ctx, project, nodes);
  for (let made = 0; made < count; made++) await startRun(ctx, pipeline);
};
const claim = (limit: number, groups: readonly string[] = [group], by: WorkerLease = worker) =>
  claimReady(ctx, { worker: by, groups, limit });
const taken = (key: string) => ctx.db.$count(slots, sql`${slots.key} = ${key} and ${slots.runId} is not null`);
const end = (claimed: readonly ClaimedNode[], by: WorkerLease = worker, free = {}) =>
  settle(ctx, { worker: by, reports: claimed.map((each) => reportOf(each)), free });

/** Workers with a pool of connections each, that claim and settle until nothing of these groups is left; leaks are looked for meanwhile. */
async function workThrough(groupsOf: (index: number) => readonly string[], crew: number, limit: number): Promise<void> {
  const groups = [...new Set(Array.from({ length: crew }, (_, index) => groupsOf(index)).flat())];
  const left = () =>
    ctx.db.$count(nodeRuns, sql`worker_group = any (${`{${groups.join(",")}}`}::text[]) and state in ('PENDING', 'QUEUED', 'RUNNING')`);
  const work = async (index: number) => {
    const own = testCtx(database.another().db, { ports });
    const lease = await makeWorker(own, groupsOf(index));
    // Every other one settles by what it remembers, as a worker does, and the rest under locks.
    const memory = index % 2 === 0 ? new RunMemory(() => performance.now()) : null;
    while ((await left()) > 0) {
      const claimed = await claimReady(own, { worker: lease, groups: groupsOf(index), limit });
      memory?.claimed(claimed, lease);
      const reports = claimed.map((each) => reportOf(each));
      const { handedOn } = await settle(own, { worker: lease, reports, free: { [group]: 2 }, ...(memory ? { memory } : {}) });
      expect(handedOn).toEqual([]);
      expect(await slotLeaks(own.db)).toEqual([]);
    }
  };
  await Promise.all(Array.from({ length: crew }, (_, index) => work(index)));
}

const deadlocks = async () =>
  (await ctx.db.execute<{ n: number }>(sql`select deadlocks::integer as n from pg_stat_database where datname = current_database()`))[0]?.n;

describe("many workers at once", () => {
  it("a pool of 3 never has more than 3 attempts open, with 8 claimers and 240 nodes (RUN-5)", async () => {
    const pool = await poolOf(3);
    await beginMany(60, [
      node("a", [], { group, pool }),
      node("b", [], { group, pool }),
      node("c", ["a"], { group, pool }),
      node("d", ["b"], { group, pool }),
    ]);
    await workThrough(() => [group], 8, 4);
    expect(await mostOpen(ctx.db, `n.pool_key = '${poolKey(project.id, pool)}'`)).toBe(3);
    expect(await taken(poolKey(project.id, pool))).toBe(0);
  });

  it("a group with a limit of 2 never has more than 2 attempts open, with 6 claimers that are handed on what they can take (RUN-5, WRK-2)", async () => {
    await limitGroup(group, 2);
    await beginMany(30, [node("a", [], { group }), node("b", ["a"], { group }), node("c", ["b"], { group })]);
    await workThrough(() => [group], 6, 4);
    expect(await mostOpen(ctx.db, `n.worker_group = '${group}'`)).toBe(2);
  });

  it("two pools and two limited groups, asked for in any order, hold all four limits and nobody waits for another in a ring (RUN-5)", async () => {
    const [p, q] = [await poolOf(2), await poolOf(3)];
    const other = `${group}-b`;
    await limitGroup(group, 3);
    await limitGroup(other, 2);
    const before = await deadlocks();
    for (const [key, pool, of] of [
      ["a", p, group],
      ["b", q, group],
      ["c", p, other],
      ["d", q, other],
    ] as const) {
      await beginMany(20, [node(key, [], { group: of, pool }), node(`${key}2`, [key], { group: of, pool: pool === p ? q : p })]);
    }
    await workThrough((index) => (index % 2 === 0 ? [group, other] : [other, group]), 6, 5);
    const open = await Promise.all(
      [`n.pool_key like '%:${p}'`, `n.pool_key like '%:${q}'`, `n.worker_group = '${group}'`, `n.worker_group = '${other}'`].map((of) =>
        mostOpen(ctx.db, of),
      ),
    );
    expect(open.map((most, index) => most <= ([2, 3, 3, 2][index] ?? 0))).toEqual([true, true, true, true]);
    expect(await deadlocks()).toBe(before);
  });
});

describe("a full limit", () => {
  it("stands before nobody else, however much waits for it (RUN-5)", async () => {
    const pool = await poolOf(1);
    await beginMany(40, [node("a", [], { group, pool }), node("b", [], { group, pool })]);
    expect(await claim(8)).toHaveLength(1);
    const free = await begin([node("free", [], { group })]);
    expect((await claim(8)).map(({ runId, key }) => [runId, key])).toEqual([[free, "free"]]);
  });

  it("lets another group have the slot that its own group is too full to use (RUN-5)", async () => {
    const pool = await poolOf(1);
    const other = `${group}-b`;
    await limitGroup(group, 1);
    await begin([node("x", [], { group })]);
    await claim(1);
    await begin([node("waits", [], { group, pool })]);
    await begin([node("goes", [], { group: other, pool })]);
    expect((await claim(4, [group, other])).map(({ key }) => key)).toEqual(["goes"]);
  });

  it("is never waited for: a claim passes a slot that another claim is about to take (RUN-5)", async () => {
    const pool = await poolOf(2);
    await begin([node("a", [], { group, pool }), node("b", [], { group, pool })]);
    const other = database.another();
    const impatient = testCtx(database.another({ statement_timeout: 3_000 }).db, { ports });
    await other.sql.begin(async (tx) => {
      await tx`select 1 from slots where key = ${poolKey(project.id, pool)} and no = 1 for no key update`;
      expect(await claimReady(impatient, { worker, groups: [group], limit: 8 })).toHaveLength(1);
    });
    expect(await claim(8)).toHaveLength(1);
    expect(await slotLeaks(ctx.db)).toEqual([]);
  });

  it("is the claim's alone: what is made ready under a limit is not handed on, and its group is rung (RUN-5)", async () => {
    const pool = await poolOf(1);
    await begin([node("a", [], { group }), node("b", ["a"], { group, pool })]);
    ports.rung.length = 0;
    expect((await end(await claim(1), worker, { [group]: 4 })).handedOn).toEqual([]);
    expect(ports.rung).toContain(group);
    await end(await claim(4));
    await limitGroup(group, 1);
    await begin([node("a", [], { group }), node("b", ["a"], { group })]);
    expect((await end(await claim(1), worker, { [group]: 4 })).handedOn).toEqual([]);
    expect((await claim(1)).map(({ key }) => key)).toEqual(["b"]);
  });
});

describe("a slot", () => {
  it("that is free again is rung for in the group that waits for it, whoever had it (RUN-5)", async () => {
    const pool = await poolOf(1);
    const other = `${group}-b`;
    await makeWorker(ctx, [other]);
    await begin([node("a", [], { group, pool })]);
    const claimed = await claim(1);
    await begin([node("b", [], { group: other, pool })]);
    ports.rung.length = 0;
    await end(claimed);
    expect(ports.rung).toContain(other);
  });

  it("of a killed worker comes back exactly with its attempts, not before and not twice (RUN-5, WRK-3, B56)", async () => {
    const pool = await poolOf(3);
    const key = poolKey(project.id, pool);
    const dying = await makeWorker(ctx, [group]);
    await beginMany(3, [node("a", [], { group, pool }), node("b", [], { group, pool })]);
    const lost = await claim(2, [group], dying);
    await claim(1);
    await ctx.db.update(workers).set({ expiresAt: sql`clock_timestamp()` }).where(eq(workers.id, dying.id));
    expect(await claim(8)).toEqual([]);
    expect(await taken(key)).toBe(3);
    await recoverLostWorkers(ctx, fence);
    expect(await taken(key)).toBe(1);
    const again = await claim(8);
    expect(again).toHaveLength(2);
    const late = await settle(ctx, { worker: dying, reports: lost.map((each) => reportOf(each)), free: {} });
    expect(late.settlements.map(({ result }) => result)).toEqual(["superseded", "superseded"]);
    expect(await taken(key)).toBe(3);
    expect(await slotLeaks(ctx.db)).toEqual([]);
  });

  it("is freed by the token of the attempt that has it, and by no other (IDM-2, RUN-5)", async () => {
    const pool = await poolOf(1);
    await begin([node("a", [], { group, pool })]);
    const claimed = await claim(1);
    await ctx.db
      .update(slots)
      .set({ token: 7 })
      .where(eq(slots.key, poolKey(project.id, pool)));
    await end(claimed);
    expect(await taken(poolKey(project.id, pool))).toBe(1);
    await ctx.db
      .update(slots)
      .set({ runId: null, nodeKey: null, token: null })
      .where(eq(slots.key, poolKey(project.id, pool)));
  });
});

describe("a limit that is changed while work goes on", () => {
  const running = async (pool: string) => taken(poolKey(project.id, pool));

  it("lets more start when it is raised, and nothing when it is lowered until less than the new limit runs (RUN-5)", async () => {
    const pool = await poolOf(2);
    await beginMany(8, [node("a", [], { group, pool })]);
    const first = await claim(8);
    ports.rung.length = 0;
    await savePool(ctx, { projectId: project.id, name: pool, slots: 4 });
    expect(ports.rung).toContain(group);
    const second = await claim(8);
    expect([first.length, second.length]).toEqual([2, 2]);
    await savePool(ctx, { projectId: project.id, name: pool, slots: 1 });
    await end(first);
    expect([await claim(8), await running(pool)]).toEqual([[], 2]);
    await end(second.slice(0, 1));
    expect(await claim(8)).toEqual([]);
    ports.rung.length = 0;
    await end(second.slice(1));
    expect([await claim(8), ports.rung]).toEqual([[expect.objectContaining({ key: "a" })], expect.arrayContaining([group])]);
    expect(await ctx.db.$count(slots, eq(slots.key, poolKey(project.id, pool)))).toBe(1);
    await savePool(ctx, { projectId: project.id, name: pool, slots: 3 });
    expect(await claim(8)).toHaveLength(2);
    expect(await slotLeaks(ctx.db)).toEqual([]);
  });

  it("gives its slots back by the leader's sweep where the process that freed the last one died at once (RUN-5, F1)", async () => {
    const pool = await poolOf(2);
    await beginMany(4, [node("a", [], { group, pool })]);
    const first = await claim(2);
    await savePool(ctx, { projectId: project.id, name: pool, slots: 1 });
    const dead = { ...ctx, db: new Proxy(ctx.db, { get: (db, name) => (name === "transaction" ? db.transaction.bind(db) : undefined) }) };
    await settle(dead, { worker, reports: first.map((each) => reportOf(each)), free: {} });
    expect(await claim(8)).toEqual([]);
    await ringForgotten(ctx, fence);
    expect(await claim(8)).toHaveLength(1);
  });

  it("counts what runs already when a group gets its first one, and lets all go when it is taken away (RUN-5)", async () => {
    await beginMany(8, [node("a", [], { group })]);
    const first = await claim(3);
    await limitGroup(group, 2);
    expect([await slotLeaks(ctx.db), await claim(8)]).toEqual([[], []]);
    await end(first.slice(0, 1));
    expect(await claim(8)).toEqual([]);
    await end(first.slice(1, 2));
    const next = await claim(8);
    expect([next.length, await taken(groupKey(group))]).toEqual([1, 2]);
    await limitGroup(group, null);
    expect(await claim(8)).toHaveLength(4);
    await end([...first.slice(2), ...next]);
    expect(await ctx.db.$count(slots, eq(slots.key, groupKey(group)))).toBe(0);
  });

  /** A change of the group's limit that holds the slots until it is told to commit. */
  async function change(work: () => Promise<unknown>): Promise<unknown> {
    const other = database.another();
    const waits = async () => {
      const rows = await database.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return rows.length > 0;
    };
    let done: Promise<unknown> = Promise.resolve();
    await other.sql.begin(async (tx) => {
      await tx`lock table slots in access exclusive mode`;
      await tx`insert into group_limits (name, slots, updated_by) values (${group}, 1, 'test')`;
      await tx`insert into slots (key, no, run_id, node_key, token)
        select ${groupKey(group)}, 1, run_id, key, token from node_runs where worker_group = ${group} and state = 'RUNNING'`;
      const rows = await tx`select 1 from slots where key = ${groupKey(group)}`;
      if (rows.length === 0) await tx`insert into slots (key, no) values (${groupKey(group)}, 1)`;
      done = work();
      await expect.poll(waits, { timeout: 5_000 }).toBe(true);
    });
    return done;
  }

  it("holds up nobody for long where the process that changes it is frozen in the middle (RUN-5, F2)", async () => {
    await begin([node("a", [], { group })]);
    const frozen = database.another().db.transaction(async (tx) => {
      expect(await lockSlots(tx)).toBe(true);
      // It asks nothing more of the database while the claim waits for it.
      expect(await claim(8)).toHaveLength(1);
    });
    await expect(frozen).rejects.toThrow(/CONNECTION_CLOSED|idle-in-transaction/);
  });

  it("is seen by a claim that was under way when it came (RUN-5)", async () => {
    await beginMany(3, [node("a", [], { group })]);
    expect(await change(() => claim(8))).toHaveLength(1);
    expect(await slotLeaks(ctx.db)).toEqual([]);
  });

  it("leaves no slot to an attempt whose end was under way when it came (RUN-5)", async () => {
    await begin([node("a", [], { group })]);
    const claimed = await claim(1);
    await change(() => end(claimed));
    expect([await slotLeaks(ctx.db), await taken(groupKey(group))]).toEqual([[], 0]);
  });
});

describe("the order of starts", () => {
  const waited = (runId: string, minutes: number) =>
    ctx.db
      .update(nodeRuns)
      .set({ rank: sql`rank - ${minutes} * interval '1 minute'` })
      .where(eq(nodeRuns.runId, runId));

  it("is that of priority with age, across groups and pools, so that what is low is delayed and never starved (RUN-5)", async () => {
    const [p, q] = [await poolOf(1), await poolOf(5)];
    const other = `${group}-b`;
    const started: [string, string][] = [];
    for (const [name, more, minutes] of [
      ["low-old", { group, priority: -2 }, 11],
      ["new", { group: other, pool: p }, 0],
      ["urgent", { group, pool: q, priority: 3 }, 0],
      ["old", { group: other, pool: q }, 6],
      ["high", { group: other, priority: 1 }, 0],
    ] as const) {
      const runId = await begin([node("n", [], more)]);
      await waited(runId, minutes);
      started.push([runId, name]);
    }
    const names = new Map(started);
    const order: (string | undefined)[] = [];
    for (let claimed = await claim(1, [group, other]); claimed.length > 0; claimed = await claim(1, [group, other])) {
      order.push(...claimed.map(({ runId }) => names.get(runId)));
    }
    expect(order).toEqual(["urgent", "old", "high", "low-old", "new"]);
  });

  it("gives every waiting pool its turn, whichever of them has the longest queue (RUN-5)", async () => {
    const [long, short] = [await poolOf(1), await poolOf(1)];
    await beginMany(30, [node("l", [], { group, pool: long })]);
    const run = await begin([node("s", [], { group, pool: short })]);
    expect((await claim(2)).map(({ key }) => key)).toEqual(["l", "s"]);
    expect(await statesOf(ctx, run)).toEqual({ s: "RUNNING" });
  });

  it("stays with the queue's head where a pool is freed: the oldest that waits for it goes first (RUN-5)", async () => {
    const pool = await poolOf(1);
    const runs = [
      await begin([node("a", [], { group, pool })]),
      await begin([node("a", [], { group, pool })]),
      await begin([node("a", [], { group, pool })]),
    ];
    const order: string[] = [];
    for (let claimed = await claim(5); claimed.length > 0; claimed = await claim(5)) {
      order.push(...claimed.map(({ runId }) => runId));
      await end(claimed);
    }
    expect(order).toEqual(runs);
    expect([...(await nodesByKey(ctx, runs[2] ?? "")).values()].map(({ state }) => state)).toEqual(["SUCCESS"]);
  });
});
