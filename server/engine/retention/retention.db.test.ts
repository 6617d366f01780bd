import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alertReceipts, alerts } from "@/db/schema/alerts";
import { deadLetters } from "@/db/schema/dead-letters";
import { incidentAlerts, incidents } from "@/db/schema/incidents";
import { retentionPasses, retentionRules } from "@/db/schema/retention";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, makeFence, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { dropPartition } from "./drop-month";
import { loadRetention, previewRetention } from "./load-retention";
import { partitionsOf } from "./months";
import { retain } from "./retain";
import { findHold, holdRetention, setRetention } from "./retention-settings";

const DAY_MS = 86_400_000;
const RUN_TABLES = ["runs", "node_runs", "executions", "attempts", "run_events"] as const;

let database: TestDatabase;
let ctx: Ctx;
let administrator: Ctx;
let project: { id: string };
let fence: Fence;
let yearBack = 10;
let then = new Date();

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db, { now: () => new Date() });
  fence = await makeFence(ctx);
  administrator = actingAs(ctx, await makeUser(ctx, null, "administrator"));
});
beforeEach(async () => {
  project = await makeProject(ctx);
  // A month of its own for each test, all long past.
  yearBack += 1;
  then = new Date(Date.UTC(new Date().getUTCFullYear() - yearBack, 4, 15, 12));
  await database.sql`select ensure_partitions(${then.toISOString()}::timestamptz, 0)`;
  await database.db.delete(retentionPasses);
});
afterAll(() => database.close());

const monthName = () => then.toISOString().slice(0, 7).replace("-", "_");
const here = async (tables: readonly string[] = RUN_TABLES) =>
  (await partitionsOf(ctx.db, tables)).filter(({ name }) => name.endsWith(monthName())).map(({ table }) => table);
const drained = async () => {
  for (let step = 0; (await retain(ctx, fence)).more; step++) expect(step).toBeLessThan(200);
};

/** A run of that month, and whether it has ended. */
async function runThen(end: "ended" | "waits"): Promise<string> {
  const past = testCtx(database.db, { now: () => then });
  const group = `g-${ctx.ids.randomHex(4)}`;
  const runId = await startRun(past, await makePipeline(past, project, [node("a", [], { group })]));
  if (end === "ended") await drive(past, await makeWorker(ctx, [group]), { groups: [group] });
  return runId;
}

describe("months (STO-2)", () => {
  it("that are past their time are dropped whole, with all that lies under their runs; those of today stay", async () => {
    await runThen("ended");
    const today = await startRun(ctx, await makePipeline(ctx, project, [node("a")]));
    expect(await here()).toEqual([...RUN_TABLES]);
    await drained();
    expect([await here(), await here(["log_chunks", "error_events", "platform_events"])]).toEqual([[], []]);
    expect(await database.db.query.runs.findFirst({ where: (row, { eq: is }) => is(row.id, today) })).toBeDefined();
    const [pass] = await database.db.select().from(retentionPasses);
    expect(pass?.endedAt).not.toBeNull();
    expect(pass?.done.runs?.partitions).toContain(`runs_${monthName()}`);
  });

  it("with a live run stay whole, and the pass says why", async () => {
    await runThen("waits");
    await drained();
    expect(await here()).toEqual([...RUN_TABLES]);
    const [pass] = await database.db.select().from(retentionPasses);
    expect(pass?.done.runs?.held).toBe(`${monthName()}: live run`);
    expect((await loadRetention(administrator)).rules.find(({ noun }) => noun === "runs")?.next.months).toContainEqual(
      expect.objectContaining({ month: monthName().replace("_", "-"), heldBy: "live run" }),
    );
    await database.db.execute(sql`update runs set state = 'CANCELED' where state = 'PENDING'`);
  });

  it.each(["a dead letter", "an alert", "an incident", "an idempotency key"])("with %s that is open stay", async (what) => {
    const runId = await runThen("ended");
    const close = await open(what, runId);
    await drained();
    expect(await here()).toEqual([...RUN_TABLES]);
    await close();
    await drained();
    expect(await here()).toEqual([]);
  });

  it("a drop that waits for a long reader gives way within its limit, and the next pass goes on from there (F3)", async () => {
    await runThen("ended");
    const leader = database.another({ lock_timeout: 200, statement_timeout: 500 });
    const ledCtx: Ctx = { ...ctx, db: leader.db };
    await database.db.transaction(async (dump) => {
      await dump.execute(sql`select 1 from runs limit 1`);
      await retain(ledCtx, fence);
      // A writer of today waits for none of it.
      await startRun(ctx, await makePipeline(ctx, project, [node("a")]));
    });
    expect((await here()).length).toBeGreaterThan(0);
    await drained();
    expect(await here()).toEqual([]);
    await leader.close();
  });

  it("a month whose run began again between the look and the drop is put back", async () => {
    const runId = await runThen("waits");
    const [partition] = (await partitionsOf(ctx.db, ["runs"])).filter(({ name }) => name.endsWith(monthName()));
    if (!partition) throw new Error("no partition");
    expect(await dropPartition(ctx, fence, partition)).toBe(false);
    expect(await database.db.query.runs.findFirst({ where: (row, { eq: is }) => is(row.id, runId) })).toBeDefined();
    await database.db.execute(sql`update runs set state = 'CANCELED' where id = ${runId}`);
  });

  it("the audit is never among what goes, however old (AUD-2)", async () => {
    await drained();
    expect(await here(["audit"])).toEqual(["audit"]);
  });
});

/** Something open that speaks of a run; answers with how to close it. */
async function open(what: string, runId: string): Promise<() => Promise<unknown>> {
  const [id, now] = [ctx.ids.uuid(), new Date()];
  if (what === "a dead letter") {
    const of = { runId, projectId: project.id, pipelineId: id, nodeKey: "a", generation: 1, attemptNo: 1 };
    await ctx.db.insert(deadLetters).values({ id, ...of, cause: "lost", why: "x" });
    return () => ctx.db.update(deadLetters).set({ closedAt: now, closedAs: "discarded" }).where(eq(deadLetters.id, id));
  }
  if (what === "an idempotency key") {
    await ctx.db.execute(sql`insert into run_requests (project_id, key, request_hash, run_id) values (${project.id}, 'k', 'h', ${runId})`);
    return () => ctx.db.execute(sql`delete from run_requests where run_id = ${runId}`);
  }
  await ctx.db.insert(alerts).values({ ...alertRow(id), runId });
  if (what === "an alert") return () => ctx.db.update(alerts).set({ resolvedAt: now, resolvedAs: "itself" }).where(eq(alerts.id, id));
  await ctx.db.update(alerts).set({ resolvedAt: now, resolvedAs: "itself" }).where(eq(alerts.id, id));
  await ctx.db.insert(alertReceipts).values({ ...receiptRow(id), runId });
  return openIncident(id);
}

const alertRow = (id: string) => ({
  ...{ id, projectId: project.id, no: Number.parseInt(ctx.ids.randomHex(3), 16), key: id, kind: "code", code: "TEST_STEP_BROKEN_500" },
  ...{ grade: "P2", message: "it broke", label: "orders / load", count: 1, firstAt: then, lastAt: then },
});
const receiptRow = (alertId: string) => ({
  ...{ projectId: project.id, alertId, ref: `event/${ctx.ids.randomHex(4)}`, id: ctx.ids.uuid(), task: "t", code: "TEST_STEP_BROKEN_500" },
  ...{ message: "it broke", grade: "P2", at: then },
});

async function openIncident(alertId: string): Promise<() => Promise<unknown>> {
  const id = ctx.ids.uuid();
  const row = {
    id,
    projectId: project.id,
    no: 1,
    code: "TEST_STEP_BROKEN_500",
    severity: "P2",
    state: "open",
    stateSince: then,
    openedAt: then,
  };
  await ctx.db.insert(incidents).values(row);
  await ctx.db.insert(incidentAlerts).values({ alertId, incidentId: id });
  return () => ctx.db.update(incidents).set({ state: "closed", resolvedAt: then, closedAt: then }).where(eq(incidents.id, id));
}

describe("rows", () => {
  it("go in bounded batches; those of an open alert, or of an open incident, stay until it is closed", async () => {
    const [over, still, inIncident] = [ctx.ids.uuid(), ctx.ids.uuid(), ctx.ids.uuid()];
    await ctx.db.insert(alerts).values([over, inIncident].map((id) => ({ ...alertRow(id), resolvedAt: then, resolvedAs: "itself" })));
    await ctx.db.insert(alerts).values(alertRow(still));
    await ctx.db.insert(alertReceipts).values([...Array(5)].map(() => receiptRow(over)));
    await ctx.db.insert(alertReceipts).values([receiptRow(still), receiptRow(inIncident)]);
    const close = await openIncident(inIncident);
    const left = async () => ctx.db.$count(alertReceipts, eq(alertReceipts.projectId, project.id));
    await retain(ctx, fence, { limit: 2 });
    expect(await left()).toBe(5);
    await drained();
    expect(await left()).toBe(2);
    await close();
    await drained();
    expect(await left()).toBe(1);
    await ctx.db.update(alerts).set({ resolvedAt: then, resolvedAs: "itself" }).where(eq(alerts.id, still));
    await drained();
    expect(await left()).toBe(0);
  });

  it("a preview counts what a time would remove, and removes nothing", async () => {
    const id = ctx.ids.uuid();
    await ctx.db.insert(alerts).values({ ...alertRow(id), resolvedAt: then, resolvedAs: "itself" });
    await ctx.db.insert(alertReceipts).values({ ...receiptRow(id), at: new Date(Date.now() - 60 * DAY_MS) });
    expect(await previewRetention(administrator, { noun: "alert_receipts", days: 90 })).toMatchObject({ rows: 0 });
    expect(await previewRetention(administrator, { noun: "alert_receipts", days: 40 })).toMatchObject({ rows: 1, isMore: false });
    expect(await ctx.db.$count(alertReceipts, eq(alertReceipts.alertId, id))).toBe(1);
  });
});

describe("settings", () => {
  it("a change is audited and refused when stale or shorter than a promise; the next pass goes by it", async () => {
    const id = ctx.ids.uuid();
    await ctx.db.insert(deadLetters).values({
      ...{ id, runId: ctx.ids.uuid(), projectId: project.id, pipelineId: id, nodeKey: "a", generation: 1, attemptNo: 1, cause: "lost" },
      ...{ why: "x", closedAt: new Date(Date.now() - 20 * DAY_MS), closedAs: "discarded" },
    });
    await drained();
    expect(await ctx.db.$count(deadLetters, eq(deadLetters.id, id))).toBe(1);
    const change = { noun: "dead_letters", days: 10, revision: 0, reason: "space" } as const;
    await expect(setRetention(administrator, { ...change, days: 1 })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(setRetention(administrator, { ...change, noun: "runs", days: 30 })).rejects.toMatchObject({ code: "invalid_input" });
    await setRetention(administrator, change);
    await expect(setRetention(administrator, change)).rejects.toMatchObject({ code: "stale" });
    const told = await ctx.db.query.audit.findFirst({ where: (row, { eq: is }) => is(row.verb, "retention.change") });
    expect(told).toMatchObject({ objectId: "dead_letters", reason: "space", before: { days: 180 }, after: { days: 10 } });
    await drained();
    expect(await ctx.db.$count(deadLetters, eq(deadLetters.id, id))).toBe(0);
    await ctx.db.delete(retentionRules);
  });

  it("a legal hold stops all of it until it is lifted", async () => {
    await runThen("ended");
    await holdRetention(administrator, { hold: true, reason: "a lawsuit" });
    await drained();
    expect(await here()).toEqual([...RUN_TABLES]);
    expect(await findHold(ctx.db)).toMatchObject({ reason: "a lawsuit" });
    await expect(holdRetention(administrator, { hold: true, reason: "again" })).rejects.toMatchObject({ code: "stale" });
    await holdRetention(administrator, { hold: false, reason: "settled" });
    await drained();
    expect(await here()).toEqual([]);
  });

  it("nobody but an administrator of the installation sees or changes any of it", async () => {
    const admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
    await expect(loadRetention(admin)).rejects.toMatchObject({ code: "forbidden" });
    await expect(holdRetention(admin, { hold: true, reason: "x" })).rejects.toMatchObject({ code: "forbidden" });
  });
});
