import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { slots } from "@/db/schema/runs";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { definition } from "@/db/testing/mutations";
import { node } from "@/db/testing/plans";
import { makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import { poolKey } from "@/server/domain/pool/limit-key";
import { listAudit } from "@/server/engine/audit/list-audit";
import type { Ctx } from "@/server/engine/context";
import { applyDefinition } from "@/server/engine/pipelines/apply-definition";
import { deletePipeline } from "@/server/engine/pipelines/delete-pipeline";
import { cancelRun } from "@/server/engine/runs/cancel-run";
import { claimReady } from "@/server/engine/runs/claim";
import { loadRun } from "@/server/engine/runs/load-run";
import { listWorkers } from "@/server/engine/workers/list-workers";
import { deletePool } from "./delete-pool";
import { listPools } from "./list-pools";
import { savePool } from "./save-pool";
import { setGroupLimit } from "./set-group-limit";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
const reason = "a test";
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db, { ports: recordingPorts() });
  project = await makeProject(ctx);
});
afterAll(() => database.close());

const fresh = () => `pool-${ctx.ids.randomHex(3)}`;
const at = () => ({ projectId: project.id });
const rowsOf = (pool: string) => ctx.db.$count(slots, eq(slots.key, poolKey(project.id, pool)));
const pooled = (pool: string) => ({ nodes: [{ key: "a", type: "command", pool, with: { argv: ["true"] } }] });
const apply = (name: string, pool: string, more: object = {}) =>
  applyDefinition(ctx, { ...at(), name, source: { kind: "value", value: definition(name, pooled(pool)) }, ...more });
const viewOf = async (pool: string) => (await listPools(ctx, project.id)).find(({ name }) => name === pool);

describe("a pool", () => {
  it("that a definition names and nobody has made is made by its publish with one slot, which is told and audited (PIP-6, RUN-5)", async () => {
    const [name, pool] = [`p-${ctx.ids.randomHex(3)}`, fresh()];
    expect((await apply(name, pool, { dryRun: true })).poolsMade).toEqual([pool]);
    expect(await viewOf(pool)).toBeUndefined();
    expect((await apply(name, pool)).poolsMade).toEqual([pool]);
    expect(await viewOf(pool)).toMatchObject({ slots: 1, taken: 0, waiting: 0, pipelines: [name], revision: 1 });
    expect((await apply(`${name}-2`, pool)).poolsMade).toEqual([]);
    const { items } = await listAudit(ctx, { ...at(), objectKind: "pool", objectId: pool });
    expect(items.map(({ verb, after }) => [verb, after])).toEqual([["pool.create", { slots: 1 }]]);
  });

  it("that is saved is told as saved, though who waits for it cannot be told just then (RUN-5)", async () => {
    const deaf = { ...ctx, db: new Proxy(ctx.db, { get: (db, name) => (name === "transaction" ? db.transaction.bind(db) : undefined) }) };
    expect(await savePool(deaf, { ...at(), name: fresh(), slots: 2 })).toMatchObject({ slots: 2, revision: 1 });
  });

  it("is not deleted while a live version names it or an unfinished run needs it, and is once neither does (RUN-5)", async () => {
    const [name, pool] = [`p-${ctx.ids.randomHex(3)}`, fresh()];
    const { pipelineId } = await apply(name, pool);
    await expect(deletePool(ctx, { ...at(), name: pool, reason })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(name),
    });
    const other = await makePipeline(ctx, project, [node("a"), node("b", ["a"], { pool })]);
    const runId = await startRun(ctx, other);
    for (const id of [pipelineId ?? "", other.pipelineId]) await deletePipeline(ctx, { ...at(), pipelineId: id, reason });
    await expect(deletePool(ctx, { ...at(), name: pool, reason })).rejects.toMatchObject({ details: { nodes: 1, pipelines: [] } });
    expect(await rowsOf(pool)).toBe(1);
    await cancelRun(ctx, { runId, reason });
    await deletePool(ctx, { ...at(), name: pool, reason });
    expect([await viewOf(pool), await rowsOf(pool)]).toEqual([undefined, 0]);
  });

  it("that is not there holds back what needs it, and says so, until it is made (RUN-5, RUN-11)", async () => {
    const [pool, group] = [fresh(), `g-${ctx.ids.randomHex(3)}`];
    const worker = await makeWorker(ctx, [group]);
    const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group, pool })]));
    expect(await claimReady(ctx, { worker, groups: [group], limit: 4 })).toEqual([]);
    expect((await loadRun(ctx, runId)).nodes[0]?.waitsFor).toEqual({ kind: "pool", name: pool, slots: null, taken: 0 });
    expect(await viewOf(pool)).toMatchObject({ slots: null, waiting: 1 });
    await savePool(ctx, { ...at(), name: pool, slots: 1, revision: 0 });
    expect((await loadRun(ctx, runId)).nodes[0]?.waitsFor).toBeNull();
    expect(await claimReady(ctx, { worker, groups: [group], limit: 4 })).toHaveLength(1);
  });

  it("that is full is what a queued node says it waits for, and so is its group (RUN-5, RUN-11)", async () => {
    const [pool, group] = [fresh(), `g-${ctx.ids.randomHex(3)}`];
    const worker = await makeWorker(ctx, [group]);
    await savePool(ctx, { ...at(), name: pool, slots: 1 });
    const pipeline = await makePipeline(ctx, project, [
      node("a", [], { group, pool, priority: 1 }),
      node("b", [], { group, pool }),
      node("c", [], { group }),
    ]);
    const runId = await startRun(ctx, pipeline);
    expect(await claimReady(ctx, { worker, groups: [group], limit: 1 })).toHaveLength(1);
    await setGroupLimit(ctx, { group, slots: 1, reason });
    const waits = Object.fromEntries((await loadRun(ctx, runId)).nodes.map(({ key, waitsFor }) => [key, waitsFor]));
    expect(waits).toEqual({
      a: null,
      b: { kind: "pool", name: pool, slots: 1, taken: 1 },
      c: { kind: "group", name: group, slots: 1, taken: 1 },
    });
    expect((await listWorkers(ctx)).groups.find(({ name }) => name === group)).toMatchObject({ limit: 1, running: 1, queued: 2 });
    expect(await viewOf(pool)).toMatchObject({ slots: 1, taken: 1, waiting: 1 });
  });

  it("that someone else has changed meanwhile is not overwritten: the second save is refused and changes nothing (RUN-5)", async () => {
    const name = fresh();
    await savePool(ctx, { ...at(), name, slots: 2, revision: 0 });
    await expect(savePool(ctx, { ...at(), name, slots: 5, revision: 0 })).rejects.toMatchObject({ code: "stale" });
    await savePool(ctx, { ...at(), name, slots: 3, revision: 1 });
    await expect(savePool(ctx, { ...at(), name, slots: 9, revision: 1 })).rejects.toMatchObject({ code: "stale" });
    expect([await viewOf(name), await rowsOf(name)]).toEqual([expect.objectContaining({ slots: 3, revision: 2 }), 3]);
  });

  it("is a project's own: another project's pool of the same name has its own slots (SEC-1, RUN-5)", async () => {
    const [name, group] = [fresh(), `g-${ctx.ids.randomHex(3)}`];
    const other = await makeProject(ctx);
    const worker = await makeWorker(ctx, [group]);
    for (const { id } of [project, other]) {
      await savePool(ctx, { projectId: id, name, slots: 1 });
      const pipeline = await makePipeline(ctx, { id }, [node("a", [], { group, pool: name }), node("b", [], { group, pool: name })]);
      await startRun(ctx, pipeline);
    }
    expect(await claimReady(ctx, { worker, groups: [group], limit: 8 })).toHaveLength(2);
  });

  it("is changed by an editor and not by an operator, and a group's limit by an administrator alone (AUD-1)", async () => {
    const name = fresh();
    const as = async (role: Parameters<typeof makeUser>[2]) =>
      actingAs(ctx, await makeUser(ctx, role === "administrator" ? null : project, role));
    await expect(savePool(await as("operator"), { ...at(), name, slots: 1 })).rejects.toMatchObject({ code: "forbidden" });
    await savePool(await as("editor"), { ...at(), name, slots: 1 });
    await expect(setGroupLimit(await as("admin"), { group: name, slots: 1, reason })).rejects.toMatchObject({ code: "forbidden" });
    await setGroupLimit(await as("administrator"), { group: name, slots: 1, reason });
    await expect(setGroupLimit(ctx, { group: name, slots: 3, seen: 2, reason })).rejects.toMatchObject({ code: "stale" });
  });
});

describe("a change of a limit", () => {
  it("is refused where the slots are not to be had in time, and leaves no trace (RUN-5)", async () => {
    const name = fresh();
    await savePool(ctx, { ...at(), name, slots: 2 });
    const other = database.another();
    await other.sql.begin(async (tx) => {
      await tx`select count(*) from slots`;
      await expect(savePool(ctx, { ...at(), name, slots: 7 })).rejects.toMatchObject({ code: "unavailable" });
    });
    expect([await viewOf(name), await rowsOf(name)]).toEqual([expect.objectContaining({ slots: 2, revision: 1 }), 2]);
  });

  it("and its audit row commit together: a group's stands with the platform, a pool's with its project (AUD-2)", async () => {
    const name = fresh();
    await savePool(ctx, { ...at(), name, slots: 2 });
    await savePool(ctx, { ...at(), name, slots: 5, description: "the warehouse" });
    const { items } = await listAudit(ctx, { ...at(), objectKind: "pool", objectId: name });
    expect(items.map(({ verb, before, after }) => [verb, before, after])).toEqual([
      ["pool.change", { slots: 2, description: "" }, { slots: 5, description: "the warehouse" }],
      ["pool.create", null, { slots: 2, description: "" }],
    ]);
    expect(await ctx.db.$count(slots, and(eq(slots.key, poolKey(project.id, name)), eq(slots.retired, false)))).toBe(5);
  });
});
