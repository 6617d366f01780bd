import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nodeRuns, runs } from "@/db/schema/runs";
import { applyDecisions, type StateWrites } from "@/db/statements/state/apply-decisions";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { makeFence, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import type { Ctx } from "@/server/engine/context";
import { claimReady } from "./claim";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  project = await makeProject(ctx);
});
afterAll(() => database.close());

/** A node that runs, with the rows as they are. */
async function running() {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group })]));
  await claimReady(ctx, { worker: await makeWorker(ctx, [group]), groups: [group], limit: 1 });
  return read(runId);
}
async function read(runId: string) {
  const [run] = await ctx.db.select().from(runs).where(eq(runs.id, runId));
  const [row] = await ctx.db
    .select()
    .from(nodeRuns)
    .where(and(eq(nodeRuns.runId, runId), eq(nodeRuns.key, "a")));
  if (!run || !row) throw new Error("the run has gone");
  return { run, row };
}

const NONE: StateWrites = { nodes: [], newExecutions: [], executions: [], closed: [], opened: [], events: [], errors: [], runs: [] };

it("a node row with another token than was read aborts the whole call, its state alone does not make it the same (IDM-2)", async () => {
  const { run, row } = await running();
  const next = { ...row, state: "SUCCESS" };
  const write = (from: typeof row) =>
    applyDecisions(ctx.db, { ...NONE, nodes: [{ row: next, from }], runs: [{ ...run, seq: run.seq + 1 }] });
  await expect(write({ ...row, token: row.token + 1 })).rejects.toMatchObject({ cause: { code: "40001" } });
  expect(await read(row.runId)).toEqual({ run, row });
  expect((await write(row)).refused).toEqual([]);
  expect((await read(row.runId)).row.state).toBe("SUCCESS");
});

it("a node row in another state than was read aborts the whole call (IDM-2)", async () => {
  const { run, row } = await running();
  const write = applyDecisions(ctx.db, {
    ...NONE,
    nodes: [{ row: { ...row, state: "CANCELED" }, from: { ...row, state: "QUEUED" } }],
    runs: [{ ...run, seq: run.seq + 1 }],
  });
  await expect(write).rejects.toMatchObject({ cause: { code: "40001" } });
  expect(await read(row.runId)).toEqual({ run, row });
});

it("a run that has moved on since it was read is named, and nothing of it is written (IDM-2)", async () => {
  const { run, row } = await running();
  const stale = { ...run, seq: run.seq + 2 };
  const applied = await applyDecisions(ctx.db, { ...NONE, nodes: [{ row: { ...row, state: "SUCCESS" }, from: row }], runs: [stale] });
  expect(applied.refused).toEqual([run.id]);
  expect(await read(row.runId)).toEqual({ run, row });
});

const success = ({ run, row }: Awaited<ReturnType<typeof read>>): StateWrites => ({
  ...NONE,
  nodes: [{ row: { ...row, state: "SUCCESS" }, from: row }],
  runs: [{ ...run, seq: run.seq + 1 }],
});

it("a leader writes in its own term alone, and says so where it is over (SCH-7)", async () => {
  const known = await running();
  const term = await makeFence(ctx, `term-${ctx.ids.randomHex(3)}`);
  const past = await applyDecisions(ctx.db, success(known), { term: { ...term, epoch: term.epoch - 1 } });
  expect(past.leased).toBe(false);
  expect(await read(known.run.id)).toEqual(known);
  expect(await applyDecisions(ctx.db, success(known), { term })).toMatchObject({ leased: true, refused: [] });
  expect((await read(known.run.id)).row.state).toBe("SUCCESS");
});

it("a leader waits for no run that somebody holds: it is named, and the others are written (RUN-7)", async () => {
  const [held, other] = [await running(), await running()];
  const term = await makeFence(ctx, `term-${ctx.ids.randomHex(3)}`);
  const both = { ...NONE, nodes: [...success(held).nodes, ...success(other).nodes], runs: [...success(held).runs, ...success(other).runs] };
  await database.another().sql.begin(async (sql) => {
    await sql`select from runs where id = ${held.run.id} for no key update`;
    expect((await applyDecisions(ctx.db, both, { term })).refused).toEqual([held.run.id]);
  });
  expect(await read(held.run.id)).toEqual(held);
  expect((await read(other.run.id)).row.state).toBe("SUCCESS");
});
