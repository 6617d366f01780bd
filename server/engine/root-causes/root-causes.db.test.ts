import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connect, PLANNED_ONCE } from "@/db/client";
import { countingCursors, rootCauseCards } from "@/db/schema/root-causes";
import { codesFailed, findBursts, tallyFailures } from "@/db/statements/counting/code-bursts";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { scansOf } from "@/db/testing/explain";
import { node } from "@/db/testing/plans";
import { type MadePipeline, makeFence, makePipeline, startRun } from "@/db/testing/runs";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { saveRoutingTable } from "@/server/engine/routing/save-routing-table";
import { countCauses } from "./count-causes";
import { listCauses } from "./list-causes";
import { loadCause } from "./load-cause";

const CODE = "TEST_PAY_TIMEOUT_504";
const MINUTE = 60_000;
let database: TestDatabase;
let ctx: Ctx;
let viewer: Ctx;
let project: { id: string; key: string };
let pipeline: MadePipeline;
let runId: string;
let fence: Fence;
/** The full minute at which each test begins; each begins an hour after the one before. */
let startMs = Math.floor(Date.now() / MINUTE) * MINUTE;
let nowMs = startMs;

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db, { now: () => new Date(nowMs) });
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  startMs += 60 * MINUTE;
  nowMs = startMs;
  project = await makeProject(ctx);
  viewer = actingAs(ctx, await makeUser(ctx, project, "viewer"));
  pipeline = await makePipeline(ctx, project, [node("a")]);
  runId = await startRun(ctx, pipeline);
  await database.sql`update runs set business_keys = '{"order_id":"o-7"}' where id = ${runId}`;
  await ctx.db.delete(countingCursors);
  await ctx.db.delete(rootCauseCards);
});
afterAll(() => database.close());

interface Failures {
  readonly count: number;
  readonly fromMs: number;
  readonly everyMs: number;
  readonly code?: string;
  /** How many stacks, orders and workers they are spread over. */
  readonly spread?: number;
}

/** Failures as settling writes them, one after the other. */
const fail = ({ count, fromMs, everyMs, code = CODE, spread = 1 }: Failures) =>
  database.sql.unsafe(
    `insert into error_events (run_id, id, project_id, pipeline_id, node_key, generation, attempt_no, execution_id, code, message, stack_hash, retry_count, trace_id, worker_id, context, at)
     select $1, gen_random_uuid(), $2, $3, 'a', 1, 1, gen_random_uuid(), $4, 'message ' || n % $5, 'stack-' || n % $5, 0, 't', 'w-' || n % $5,
       jsonb_build_object('sku_id', 's-' || n % $5), to_timestamp(($6::float8 + n * $7::float8) / 1000)
     from generate_series(0, $8::integer - 1) n`,
    [runId, project.id, pipeline.pipelineId, code, spread, fromMs, everyMs, count],
  );

/** The leader's looks, as often as its duty looks, until everything of that instant is counted. */
async function lookUntil(atMs: number, by = ctx): Promise<void> {
  while (nowMs < atMs) {
    nowMs = Math.min(atMs, nowMs + 5_000);
    for (let more = true; more; ) ({ more } = await countCauses(by, fence));
  }
}
/** Rows of error events that this connection and those before it have fetched. */
async function rowsRead(sql: TestDatabase["sql"]): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql.unsafe<{ rows: number }[]>(
    "select sum(idx_tup_fetch + seq_tup_read)::int as rows from pg_stat_user_tables where relname like 'error_events_2%'",
  );
  return row?.rows ?? 0;
}
const cards = () => ctx.db.select().from(rootCauseCards).where(eq(rootCauseCards.projectId, project.id)).orderBy(asc(rootCauseCards.id));

describe("root-cause cards (EXC-7)", () => {
  it.each([
    ["50 in a minute open none", 50, 1_000, 0],
    ["51 in a minute open one", 51, 1_000, 1],
    ["51 in a minute that straddles two open one", 51, 1_100, 1],
    ["51 in a little more than a minute open none", 51, 1_201, 0],
  ])("%s (EXC-7)", async (_name, count, everyMs, opened) => {
    await fail({ count, fromMs: startMs + 5_500, everyMs });
    await lookUntil(startMs + 2 * MINUTE);
    expect(await cards()).toHaveLength(opened);
    if (opened === 1) expect((await cards())[0]).toMatchObject({ code: CODE, total: 51, openedAt: new Date(startMs + 5_500) });
  });

  it("10,000 failures of a minute are each counted once, read less than four times, and make one bounded card (EXC-7)", async () => {
    const events = 10_000;
    await fail({ count: events, fromMs: startMs + 1, everyMs: 6, spread: 500 });
    const before = await rowsRead(database.sql);
    const leader = connect({ url: database.url, max: 1, applicationName: "test", settings: PLANNED_ONCE });
    await lookUntil(startMs + 2 * MINUTE, { ...ctx, db: leader.db });
    const read = (await rowsRead(leader.sql)) - before;
    await leader.close();
    expect(read).toBeGreaterThanOrEqual(events);
    expect(read).toBeLessThan(4 * events);
    const [card] = await cards();
    expect(card).toMatchObject({ total: events, endedAt: null });
    for (const [dimension, { values, other }] of Object.entries(card?.counts ?? {})) {
      const sum = Object.values(values).reduce((a, b) => a + b, other);
      // Each failure has an order and a piece of stock.
      if (dimension !== "host") expect([dimension, sum]).toEqual([dimension, dimension === "key" ? 2 * events : events]);
      expect(Object.keys(values).length).toBeLessThanOrEqual(40);
    }
    expect(JSON.stringify(card).length).toBeLessThan(16_000);
    expect(await cards()).toHaveLength(1);
  });

  it("a look reads no failure that an earlier one has counted, whatever the storm has behind it (EXC-7)", async () => {
    await fail({ count: 3_000, fromMs: startMs + 1, everyMs: 20, spread: 5 });
    await lookUntil(startMs + 90_000);
    const [before] = await cards();
    await fail({ count: 7, fromMs: nowMs, everyMs: 1, spread: 5 });
    nowMs += 5_000;
    expect(await countCauses(ctx, fence)).toMatchObject({ count: 7 });
    expect((await cards())[0]?.total).toBe((before?.total ?? 0) + 7);
    nowMs += 1_000;
    expect(await countCauses(ctx, fence)).toMatchObject({ count: 0 });
  });

  it("two looks at the same failures count them once, and a past leader counts none (EXC-7)", async () => {
    await fail({ count: 60, fromMs: startMs + 1, everyMs: 100 });
    await lookUntil(startMs + 5_000);
    nowMs = startMs + 20_000;
    await Promise.all([countCauses(ctx, fence), countCauses(ctx, fence)]);
    expect((await cards()).map(({ total }) => total)).toEqual([60]);
    await fail({ count: 60, fromMs: nowMs, everyMs: 1 });
    nowMs += 10_000;
    await expect(countCauses(ctx, { ...fence, epoch: fence.epoch - 1 })).rejects.toMatchObject({ code: "stale" });
    expect((await cards()).map(({ total }) => total)).toEqual([60]);
  });

  it("what a long transaction commits late is counted still (EXC-7)", async () => {
    await lookUntil(startMs + 5_000);
    const failedMs = nowMs;
    const long = await database.sql.reserve();
    await long`begin`;
    await long`select pg_current_xact_id()`;
    await long`select pg_sleep(0.05)`;
    nowMs += 30_000;
    // The transaction began just now by the database's clock; all that is younger than it waits.
    await countCauses(ctx, fence);
    const [cursor] = await ctx.db.select().from(countingCursors);
    expect(nowMs - (cursor?.until.getTime() ?? 0)).toBeGreaterThan(2_000);
    await long`commit`;
    long.release();
    await fail({ count: 60, fromMs: failedMs + 27_000, everyMs: 1 });
    await lookUntil(nowMs + 10_000);
    expect((await cards()).map(({ total }) => total)).toEqual([60]);
  });

  it("it ends by itself when the burst has been over for five minutes, stays as history, and the next burst opens another (EXC-7)", async () => {
    await fail({ count: 100, fromMs: startMs + 1, everyMs: 500 });
    await lookUntil(startMs + 5 * MINUTE);
    expect(await cards()).toMatchObject([{ endedAt: null }]);
    await lookUntil(startMs + 7 * MINUTE);
    expect((await cards())[0]?.endedAt).not.toBeNull();
    await fail({ count: 100, fromMs: nowMs + 1, everyMs: 500 });
    await lookUntil(nowMs + 2 * MINUTE);
    expect((await cards()).map(({ total, endedAt }) => [total, endedAt === null])).toEqual([
      [100, false],
      [100, true],
    ]);
    const page = await listCauses(viewer, { projectId: project.id, code: CODE, limit: 1 });
    expect(page.items).toMatchObject([{ endedAt: null }]);
    const older = await listCauses(viewer, { projectId: project.id, code: CODE, limit: 1, cursor: page.nextCursor ?? "" });
    expect(older).toMatchObject({ items: [{ total: 100 }], nextCursor: null });
    expect(await listCauses(viewer, { projectId: project.id, open: true })).toEqual({ items: page.items, nextCursor: null });
  });

  it("the card says what its failures have in common and what was changed in the hour before (EXC-7)", async () => {
    const editor = actingAs(ctx, await makeUser(ctx, project, "admin"));
    nowMs = startMs - 61 * MINUTE;
    await saveRoutingTable(editor, { projectId: project.id, version: 0, rules: [] });
    nowMs = startMs - 10 * MINUTE;
    await saveRoutingTable(editor, { projectId: project.id, version: 1, rules: [] });
    nowMs = startMs;
    await fail({ count: 90, fromMs: startMs + 1, everyMs: 10, spread: 3 });
    await fail({ count: 60, fromMs: startMs + 1, everyMs: 10, code: "TEST_OTHER_TIMEOUT_504" });
    await lookUntil(startMs + MINUTE);
    const [card] = (await cards()).filter(({ code }) => code === CODE);
    const found = await loadCause(viewer, { projectId: project.id, id: card?.id ?? "" });
    expect(found).toMatchObject({ code: CODE, total: 90, others: { stack: 0 } });
    expect(found.stacks[0]).toEqual({ value: "stack-0", count: 30, message: "message 0" });
    expect(found.keys.slice(0, 2)).toEqual([
      { value: "order_id=o-7", count: 90 },
      { value: "sku_id=s-0", count: 30 },
    ]);
    expect(found.workers).toHaveLength(3);
    expect(found.nodes).toEqual([{ value: "a", count: 90, pipeline: { id: pipeline.pipelineId, title: pipeline.name } }]);
    expect(found.versions).toMatchObject([{ value: "1", count: 90 }]);
    expect(found.created).toMatchObject([{ count: 90 }]);
    expect(found.changes.map(({ verb }) => verb)).toEqual(["routing.change"]);
    const stranger = actingAs(ctx, await makeUser(ctx, await makeProject(ctx), "admin"));
    await expect(loadCause(stranger, { projectId: project.id, id: card?.id ?? "" })).rejects.toMatchObject({ code: "not_found" });
    const elsewhere = actingAs(ctx, await makeUser(ctx, null, "administrator"));
    const other = await makeProject(ctx);
    await expect(loadCause(elsewhere, { projectId: other.id, id: card?.id ?? "" })).rejects.toMatchObject({ code: "not_found" });
  });

  it("each of its questions goes by an index, however much lies behind (EXC-7)", async () => {
    await fail({ count: 20_000, fromMs: startMs - 10 * MINUTE, everyMs: 30, spread: 50 });
    await database.sql`vacuum (analyze) error_events`;
    const span = { from: new Date(startMs - MINUTE), to: new Date(startMs) };
    const of = { projectId: project.id, code: CODE };
    // As the leader's connections plan.
    await database.sql`analyze projects`;
    const leader = connect({ url: database.url, max: 1, applicationName: "test", settings: PLANNED_ONCE });
    const scans = await scansOf(leader.sql, async (db) => {
      await codesFailed(db, span);
      await findBursts(db, [of], { ...span, events: 50, windowMs: MINUTE });
      await tallyFailures(db, [{ ...of, ...span, card: runId }], 40);
    });
    await leader.close();
    const found = scans.filter(({ relation }) => relation.startsWith("error_events"));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ type, bound }) => type === "Seq Scan" || (bound === null && type !== "Bitmap Heap Scan"))).toEqual([]);
  });
});
