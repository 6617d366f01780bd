import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connect, PLANNED_ONCE } from "@/db/client";
import { dependencies, dependencyCalls } from "@/db/schema/dependencies";
import { countingCursors } from "@/db/schema/root-causes";
import { callsEnded, readCalls } from "@/db/statements/counting/dependency-calls";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { scansOf } from "@/db/testing/explain";
import { node } from "@/db/testing/plans";
import { type MadePipeline, makeFence, makePipeline, startRun } from "@/db/testing/runs";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { countCalls } from "./count-calls";
import { listDependencies } from "./list-dependencies";
import { loadDependency } from "./load-dependency";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CODE = "TEST_PAY_TIMEOUT_504";
let database: TestDatabase;
let ctx: Ctx;
let viewer: Ctx;
let project: { id: string; key: string };
let pipeline: MadePipeline;
let fence: Fence;
let startMs = Math.floor(Date.now() / HOUR) * HOUR;
let nowMs = startMs;

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db, { now: () => new Date(nowMs) });
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  startMs += 12 * HOUR;
  nowMs = startMs;
  project = await makeProject(ctx);
  viewer = actingAs(ctx, await makeUser(ctx, project, "viewer"));
  pipeline = await makePipeline(ctx, project, [node("a", [], { reads: ["table:orders"], writes: ["table:orders", "topic:paid"] })]);
  await ctx.db.delete(countingCursors);
});
afterAll(() => database.close());

interface Calls {
  readonly count: number;
  readonly atMs: number;
  readonly ms?: number;
  readonly url?: string | null;
  readonly failed?: boolean;
}

/** Attempts as settling leaves them. A run each, so that none of them is another's. */
async function call({ count, atMs, ms = 100, url = "https://user:pass@Pay.example.org/v1/charges?order=7", failed = false }: Calls) {
  const runId = await startRun(ctx, pipeline);
  const response = url === null ? null : JSON.stringify({ status: failed ? 504 : 200, url, durationMs: ms });
  await database.sql.unsafe(
    `insert into attempts (run_id, node_key, generation, no, execution_id, token, run_state, trace_id, span_id, dispatched_at, executing_at, committed_at, outcome, error_code, worker_id, response)
     select $1, 'a', 1, n, gen_random_uuid(), 1, 'RUNNING', 't', 's', at - interval '1 second', at - $3::integer * interval '1 millisecond', at, $4, $5, 'w-1', $6::text::jsonb
     from (select n, to_timestamp(($7::float8 + n) / 1000) as at from generate_series(1, $2::integer) n) x`,
    [runId, count, ms, failed ? "failed" : "succeeded", failed ? CODE : null, response, atMs],
  );
}

async function lookUntil(atMs: number): Promise<void> {
  while (nowMs < atMs) {
    nowMs = Math.min(atMs, nowMs + 10_000);
    for (let more = true; more; ) ({ more } = await countCalls(ctx, fence));
  }
}

describe("dependencies (EXC-7)", () => {
  it("a call counts once for its host and once for each resource that its node declares, by minute and by hour (EXC-7)", async () => {
    await lookUntil(startMs + 10_000);
    await call({ count: 40, atMs: nowMs });
    await call({ count: 10, atMs: nowMs, ms: 30_000, failed: true });
    await lookUntil(nowMs + MINUTE);
    const rows = await ctx.db.select().from(dependencyCalls).where(eq(dependencyCalls.projectId, project.id));
    expect(rows.map(({ grain, kind, name, calls, errors }) => `${grain} ${kind} ${name} ${calls} ${errors}`).sort()).toEqual([
      "hour host pay.example.org 50 10",
      "hour resource table:orders 50 10",
      "hour resource topic:paid 50 10",
      "minute host pay.example.org 50 10",
      "minute resource table:orders 50 10",
      "minute resource topic:paid 50 10",
    ]);
    const list = await listDependencies(viewer, { projectId: project.id });
    expect(list.items[0]).toMatchObject({ kind: "host", name: "pay.example.org", now: { calls: 50, errors: 10 }, weekAgo: null });
    const found = await loadDependency(viewer, { projectId: project.id, kind: "host", name: "pay.example.org", span: "1h" });
    expect(found.codes).toEqual([{ code: CODE, count: 10 }]);
    expect(found.whole?.p50Ms).toBeGreaterThanOrEqual(100);
    expect(found.whole?.p50Ms).toBeLessThan(120);
    expect(found.whole?.p99Ms).toBeGreaterThanOrEqual(30_000);
    expect(found.points).toHaveLength(60);
    expect(found.points.filter(({ health }) => health !== null)).toHaveLength(1);
  });

  it("two looks at once, and a look of a past leader, count nothing twice (EXC-7)", async () => {
    await lookUntil(startMs + 10_000);
    await call({ count: 30, atMs: nowMs });
    nowMs += 14_000;
    await Promise.all([countCalls(ctx, fence), countCalls(ctx, fence)]);
    await call({ count: 5, atMs: nowMs });
    nowMs += 14_000;
    await expect(countCalls(ctx, { ...fence, epoch: fence.epoch - 1 })).rejects.toMatchObject({ code: "stale" });
    const found = await loadDependency(viewer, { projectId: project.id, kind: "host", name: "pay.example.org" });
    expect(found.whole).toMatchObject({ calls: 30 });
  });

  it("hosts that are made of data take no more than their share of names (EXC-7)", async () => {
    await lookUntil(startMs + 10_000);
    const from = nowMs;
    const runId = await startRun(ctx, pipeline);
    await database.sql`
      insert into attempts (run_id, node_key, generation, no, execution_id, token, run_state, trace_id, span_id, dispatched_at, executing_at, committed_at, outcome, worker_id, response)
      select ${runId}, 'a', 1, n, gen_random_uuid(), 1, 'RUNNING', 't', 's', now(), now(), to_timestamp((${from}::float8 + n) / 1000), 'succeeded', 'w',
        jsonb_build_object('url', 'https://tenant-' || n || '.example.org/', 'durationMs', 5) from generate_series(1, 320) n`;
    await lookUntil(nowMs + MINUTE);
    const names = await ctx.db.select().from(dependencies).where(eq(dependencies.projectId, project.id));
    expect(names.length).toBeLessThanOrEqual(302);
    const rows = await ctx.db.select().from(dependencyCalls).where(eq(dependencyCalls.projectId, project.id));
    const hosts = rows.filter(({ kind, grain }) => kind === "host" && grain === "hour");
    expect(hosts.reduce((sum, { calls }) => sum + calls, 0)).toBe(320);
    expect(hosts.find(({ name }) => name === "*")?.calls).toBeGreaterThan(18);
  });

  it("minutes leave after two days, hours and names after 35 (EXC-7)", async () => {
    const old = (days: number) => new Date(startMs - days * 24 * HOUR);
    const row = {
      projectId: project.id,
      kind: "host",
      name: "old.example.org",
      calls: 1,
      errors: 0,
      buckets: {},
      codes: { values: {}, other: 0 },
    };
    await ctx.db.insert(dependencyCalls).values([
      { ...row, grain: "minute", at: old(3) },
      { ...row, grain: "minute", at: old(1) },
      { ...row, grain: "hour", at: old(36) },
      { ...row, grain: "hour", at: old(34) },
    ]);
    await ctx.db
      .insert(dependencies)
      .values({ projectId: project.id, kind: "host", name: "gone", firstSeenAt: old(40), lastSeenAt: old(36) });
    await lookUntil(startMs + MINUTE);
    const left = await ctx.db.select().from(dependencyCalls).where(eq(dependencyCalls.projectId, project.id));
    expect(left.map(({ grain, at }) => [grain, at]).sort()).toEqual([
      ["hour", old(34)],
      ["minute", old(1)],
    ]);
    expect(await ctx.db.select().from(dependencies).where(eq(dependencies.name, "gone"))).toEqual([]);
  });

  it("the list is read page by page, compares with a week ago, and shows nothing of another project (EXC-7)", async () => {
    const seen = { firstSeenAt: new Date(startMs), lastSeenAt: new Date(startMs) };
    await ctx.db.insert(dependencies).values(["a", "b", "c"].map((name) => ({ projectId: project.id, kind: "host", name, ...seen })));
    const weekAgo = new Date(startMs - 7 * 24 * HOUR - HOUR / 2);
    const row = {
      projectId: project.id,
      kind: "host",
      name: "b",
      calls: 9,
      errors: 3,
      buckets: { "40": 9 },
      codes: { values: {}, other: 3 },
    };
    await ctx.db.insert(dependencyCalls).values({ ...row, grain: "hour", at: weekAgo });
    const first = await listDependencies(viewer, { projectId: project.id, limit: 2 });
    expect(first.items.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(first.items[1]?.weekAgo).toMatchObject({ calls: 9, errors: 3, p99Ms: 1_024 });
    const rest = await listDependencies(viewer, { projectId: project.id, limit: 2, cursor: first.nextCursor ?? "" });
    expect(rest).toMatchObject({ items: [{ name: "c" }], nextCursor: null });
    const other = await makeProject(ctx);
    const stranger = actingAs(ctx, await makeUser(ctx, other, "admin"));
    await expect(listDependencies(stranger, { projectId: project.id })).rejects.toMatchObject({ code: "not_found" });
    await expect(loadDependency(stranger, { projectId: other.id, kind: "host", name: "b" })).rejects.toMatchObject({ code: "not_found" });
  });

  it("a look and a curve go by their indexes, however many calls lie behind (EXC-7)", async () => {
    const leader = connect({ url: database.url, max: 1, applicationName: "test", settings: PLANNED_ONCE });
    const span = { from: new Date(startMs), to: new Date(startMs + 15_000) };
    const scans = await scansOf(leader.sql, (db) => callsEnded(db, span));
    await leader.close();
    const attempts = scans.filter(({ relation }) => relation.startsWith("attempts"));
    expect(attempts.length).toBeGreaterThan(0);
    expect(attempts.filter(({ type }) => type === "Seq Scan")).toEqual([]);
    await database.sql`
      insert into dependency_calls (project_id, kind, name, grain, at, calls, errors, buckets, codes)
      select ${project.id}, 'host', 'h-' || n % 20, 'minute', now() - n * interval '1 minute', 1, 0, '{}', '{"values":{},"other":0}' from generate_series(1, 20000) n`;
    await database.sql`analyze dependency_calls`;
    const names = [{ kind: "host", name: "h-1" }];
    const curve = readCalls(ctx.db, project.id, names, { grain: "minute", from: new Date(Date.now() - HOUR), to: new Date() });
    const { sql: text, params } = (curve as unknown as { toSQL(): { sql: string; params: string[] } }).toSQL();
    const plan = await database.sql.unsafe(`explain (format json) ${text}`, params);
    expect(JSON.stringify(plan)).toContain("dependency_calls_project_id_kind_name_grain_at_pk");
    expect(JSON.stringify(plan)).not.toContain(
      'Seq Scan","Parent Relationship":"Outer","Parallel Aware":false,"Async Capable":false,"Relation Name":"dependency_calls',
    );
  });
});
