import { and, asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fires, schedules } from "@/db/schema/pipelines";
import { audit } from "@/db/schema/platform";
import { runs } from "@/db/schema/runs";
import { actingAs, makeProject, makeUser } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type ClockedWorld, clockedWorld, publishTimed, takeLease } from "@/db/testing/schedules";
import { fireDue } from "./fire-due";
import { listFires } from "./list-fires";
import { listSchedules } from "./list-schedules";
import { toggleSchedule } from "./toggle-schedule";
import { writeOwedFires } from "./write-owed-fires";

const MINUTE = 60_000;

let database: TestDatabase;
let world: ClockedWorld;
let project: { id: string; key: string };
let fence: { name: string; epoch: number };

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await database.sql`update schedules set removed_at = now(), next_fire_at = null`;
  world = clockedWorld(database, "2026-11-30T08:00:30.000Z");
  project = await makeProject(world.ctx);
  fence = await takeLease(database);
});
afterAll(() => database.close());

const publish = (cron: string, more: object = {}) =>
  publishTimed(world.ctx, project.id, "orders", [{ name: "often", cron, timezone: "UTC", ...more }]);
const fireAll = async () => {
  for (;;) if (!(await fireDue(world.ctx, fence)).more) return;
};
const rowsOf = (pipelineId: string) =>
  database.db.select().from(schedules).where(eq(schedules.pipelineId, pipelineId)).orderBy(asc(schedules.name));
const rowOf = async (pipelineId: string) => {
  const [row] = await rowsOf(pipelineId);
  if (!row) throw new Error("no schedule");
  return row;
};
const ledger = (pipelineId: string) => database.db.select().from(fires).where(eq(fires.pipelineId, pipelineId)).orderBy(asc(fires.fireAt));
const balanced = async () => (await listFires(world.ctx, { projectId: project.id })).sums;

describe("an edit", () => {
  test("stops the old cadence at once and leaves one row and an audit row (B20)", async () => {
    const { pipelineId } = await publish("*/2 * * * *");
    await publish("0 3 * * *");
    const rows = await rowsOf(pipelineId);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ version: 2, expression: "0 3 * * *", nextFireAt: new Date("2026-12-01T03:00:00Z") });
    world.pass(10 * MINUTE);
    await fireAll();
    expect(await ledger(pipelineId)).toEqual([]);
    const entries = await database.db
      .select()
      .from(audit)
      .where(and(eq(audit.objectId, pipelineId), eq(audit.verb, "pipeline.apply")));
    expect(entries).toHaveLength(2);
  });

  test("of five kinds within ten seconds leaves one run per slot, of the last version (B19)", async () => {
    const { pipelineId } = await publish("* * * * *");
    for (const cron of ["5 * * * *", "* * * * *", "5 * * * *", "* * * * *"]) {
      world.pass(2_000);
      await publish(cron);
    }
    for (let slot = 0; slot < 2; slot++) {
      world.pass(MINUTE);
      await fireAll();
    }
    const lines = await ledger(pipelineId);
    expect(lines.map(({ fireAt, scheduleVersion }) => [fireAt.toISOString().slice(11, 16), scheduleVersion])).toEqual([
      ["08:01", 5],
      ["08:02", 5],
    ]);
  });

  test("never creates fires in its past (B24)", async () => {
    const { pipelineId } = await publish("0 0 * * 0", { misfire: "all" });
    world.pass(5 * 24 * 60 * MINUTE);
    await publish("* * * * *", { misfire: "all" });
    await fireAll();
    expect((await ledger(pipelineId)).map(({ verdict }) => verdict)).toEqual([]);
    expect(await rowOf(pipelineId)).toMatchObject({ activeFrom: world.now(), nextFireAt: new Date("2026-12-05T08:01:00Z") });
  });

  test("accounts for what was due under the version before it, so that the ledger adds up (SCH-5)", async () => {
    const { pipelineId } = await publish("* * * * *");
    world.pass(3 * MINUTE);
    await publish("0 3 * * *");
    const lines = await ledger(pipelineId);
    expect(lines.map(({ verdict, reason, scheduleVersion }) => [verdict, reason, scheduleVersion])).toEqual(
      Array(3).fill(["missed", "edited", 1]),
    );
    expect(await balanced()).toMatchObject({ expected: 3, balanced: true });
  });

  test("after a pause with more fires than one edit writes leaves the rest to the leader, and the sum says so until then (SCH-5)", async () => {
    const { pipelineId } = await publish("* * * * * *");
    const { id: scheduleId } = await rowOf(pipelineId);
    world.pass(500);
    await toggleSchedule(world.ctx, { projectId: project.id, scheduleId, enabled: false });
    world.pass(40 * MINUTE);
    await publish("0 3 * * *");
    expect(await balanced()).toMatchObject({ expected: 1_000, recorded: 1_000, notItemised: 1_400, balanced: true });
    const counts: number[] = [];
    for (let more = true; more; ) {
      const report = await writeOwedFires(world.ctx, fence);
      counts.push(report.count);
      more = report.more;
    }
    expect(counts).toEqual([1_000, 400, 0]);
    expect(await balanced()).toMatchObject({
      expected: 2_400,
      recorded: 2_400,
      verdicts: { missed: 2_400 },
      notItemised: 0,
      balanced: true,
    });
    const lines = await ledger(pipelineId);
    expect(new Set(lines.map(({ fireAt }) => fireAt.getTime())).size).toBe(2_400);
    expect(lines.every(({ scheduleVersion, reason, epoch }) => scheduleVersion === 1 && reason === "edited" && epoch === 0)).toBe(true);
    await expect(writeOwedFires(world.ctx, { ...fence, epoch: fence.epoch - 1 })).rejects.toThrow("is over");
  });

  test("of a schedule that was off for longer than a number of milliseconds holds is an edit like any other (SCH-5)", async () => {
    const { pipelineId } = await publish("0 3 * * *");
    const { id: scheduleId } = await rowOf(pipelineId);
    world.pass(MINUTE);
    await toggleSchedule(world.ctx, { projectId: project.id, scheduleId, enabled: false });
    world.pass(40 * 24 * 60 * MINUTE);
    await publish("0 4 * * *");
    expect(await ledger(pipelineId)).toHaveLength(40);
  });

  test("that changes nothing touches nothing: slots that came meanwhile all run, with the version of their creation (B22)", async () => {
    const { pipelineId } = await publish("* * * * *", { misfire: "all", overlap: "allow" });
    const before = await rowOf(pipelineId);
    world.pass(3 * MINUTE);
    await fireAll();
    await publish("* * * * *", { misfire: "all", overlap: "allow" });
    expect(await rowOf(pipelineId)).toMatchObject({ version: 1, updatedAt: before.updatedAt });
    const made = await database.db.select().from(runs).where(eq(runs.pipelineId, pipelineId));
    expect(made.map(({ state, versionNo }) => [state, versionNo])).toEqual(Array(3).fill(["RUNNING", 1]));
  });

  test("racing with the leader, 200 times: at most one run per slot, and the ledger adds up (B21)", async () => {
    const { pipelineId } = await publish("* * * * *", { overlap: "allow" });
    for (let round = 0; round < 200; round++) {
      world.pass(20_000);
      const edit = () => publish(round % 2 === 0 ? "*/2 * * * *" : "* * * * *", { overlap: "allow" });
      await Promise.all(round % 3 === 0 ? [edit(), fireAll(), fireAll()] : [fireAll(), edit(), fireAll()]);
    }
    await fireAll();
    const lines = await ledger(pipelineId);
    const made = await database.db.select().from(runs).where(eq(runs.pipelineId, pipelineId));
    expect(lines.length).toBeGreaterThan(30);
    expect(new Set(lines.map(({ fireAt }) => fireAt.getTime())).size).toBe(lines.length);
    expect(made.map(({ id }) => id).sort()).toEqual(lines.flatMap(({ runId }) => runId ?? []).sort());
    expect(await balanced()).toMatchObject({ balanced: true, duplicatesRefused: 0 });
  }, 120_000);
});

describe("a switch", () => {
  test("in the console outlives a publish of something else, and the author's switch is followed (SCH-3)", async () => {
    const { pipelineId } = await publish("* * * * *");
    const { id: scheduleId } = await rowOf(pipelineId);
    await toggleSchedule(world.ctx, { projectId: project.id, scheduleId, enabled: false, reason: "the store is closed" });
    await publishTimed(world.ctx, project.id, "orders", [{ name: "often", cron: "* * * * *", timezone: "UTC" }], { taskClass: "core" });
    expect(await rowOf(pipelineId)).toMatchObject({ enabled: false, version: 1 });
    await publish("* * * * *", { enabled: false });
    await publish("* * * * *", { enabled: true });
    expect(await rowOf(pipelineId)).toMatchObject({ enabled: true, version: 1 });
  });

  test("writes one audit row with its reason, and none where nothing changes (AUD-2)", async () => {
    const { pipelineId } = await publish("* * * * *");
    const { id: scheduleId } = await rowOf(pipelineId);
    const off = { projectId: project.id, scheduleId, enabled: false, reason: "the store is closed" };
    await toggleSchedule(world.ctx, off);
    await toggleSchedule(world.ctx, off);
    const entries = await database.db.select().from(audit).where(eq(audit.objectId, scheduleId));
    expect(entries.map(({ verb, reason, before, after }) => [verb, reason, before, after])).toEqual([
      ["schedule.disable", "the store is closed", { enabled: true }, { enabled: false }],
    ]);
  });

  test("is refused to a viewer, and to a project that is not its own (AUD-1)", async () => {
    const { pipelineId } = await publish("* * * * *");
    const { id: scheduleId } = await rowOf(pipelineId);
    const viewer = actingAs(world.ctx, await makeUser(world.ctx, project, "viewer"));
    await expect(toggleSchedule(viewer, { projectId: project.id, scheduleId, enabled: false })).rejects.toMatchObject({
      code: "forbidden",
    });
    const other = await makeProject(world.ctx);
    await expect(toggleSchedule(world.ctx, { projectId: other.id, scheduleId, enabled: false })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("is refused for a schedule that cannot be read, with what is wrong (B06)", async () => {
    const { pipelineId } = await publish("* * * * *", { enabled: false });
    await database.sql`update schedules set timezone = 'Mars/Base' where pipeline_id = ${pipelineId}`;
    const { id: scheduleId } = await rowOf(pipelineId);
    const on = toggleSchedule(world.ctx, { projectId: project.id, scheduleId, enabled: true });
    await expect(on).rejects.toMatchObject({ code: "unprocessable", message: expect.stringContaining("Mars/Base") });
  });
});

describe("a schedule that is gone from the text", () => {
  test("fires no more, and comes back under its old key, so that no slot can run twice (B111)", async () => {
    const { pipelineId } = await publish("* * * * *");
    world.at("2026-11-30T08:01:00Z");
    await fireAll();
    await publishTimed(world.ctx, project.id, "orders", []);
    const removed = await rowOf(pipelineId);
    expect(removed).toMatchObject({ nextFireAt: null, removedAt: world.now() });
    await publish("* * * * *");
    expect(await rowOf(pipelineId)).toMatchObject({ id: removed.id, removedAt: null, version: 3 });
    await database.sql`update schedules set cursor_at = active_from - interval '1 hour', active_from = active_from - interval '1 hour', next_fire_at = now() - interval '10 years' where id = ${removed.id}`;
    await fireAll();
    const made = await database.db
      .select()
      .from(runs)
      .where(and(eq(runs.pipelineId, pipelineId), eq(runs.scheduledAt, new Date("2026-11-30T08:01:00Z"))));
    expect(made).toHaveLength(1);
  });
});

describe("lists", () => {
  test("schedules say themselves in words of both languages, with their next fires and the last one (SCH-1)", async () => {
    await publish("30 9 * * *", { timezone: "Asia/Shanghai" });
    world.at("2026-12-01T01:30:00Z");
    await fireAll();
    const { items } = await listSchedules(world.ctx, { projectId: project.id });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      name: "often",
      timezone: "Asia/Shanghai",
      words: { en: expect.stringContaining("09:30"), "zh-CN": expect.stringContaining("09:30") },
      nextFires: ["2026-12-02T01:30:00Z", "2026-12-03T01:30:00Z", "2026-12-04T01:30:00Z"].map((text) => new Date(text)),
      lastFire: { fireAt: new Date("2026-12-01T01:30:00Z"), verdict: "ran" },
    });
  });

  test("the ledger pages by keyset without a gap or a repeat, and its first page is summed up (SCH-5)", async () => {
    const { pipelineId } = await publish("* * * * *", { misfire: "all", overlap: "allow" });
    world.pass(25 * MINUTE);
    await fireAll();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listFires(world.ctx, { projectId: project.id, limit: 10, ...(cursor ? { cursor } : {}) });
      if (cursor === undefined) expect(page.sums).toMatchObject({ expected: 25, recorded: 25, balanced: true });
      seen.push(...page.items.map(({ fireAt }) => fireAt.toISOString()));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual((await ledger(pipelineId)).map(({ fireAt }) => fireAt.toISOString()).reverse());
    const part = { projectId: project.id, from: new Date("2026-11-30T08:05:00Z"), to: new Date("2026-11-30T08:10:00Z") };
    expect((await listFires(world.ctx, part)).sums).toMatchObject({ expected: 5, recorded: 5, balanced: true });
    await expect(listFires(world.ctx, { projectId: project.id, cursor: "nonsense" })).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("a project that is not one's own does not exist (AUD-1)", async () => {
    const stranger = actingAs(world.ctx, await makeUser(world.ctx, await makeProject(world.ctx), "admin"));
    await expect(listFires(stranger, { projectId: project.id })).rejects.toMatchObject({ code: "not_found" });
    await expect(listSchedules(stranger, { projectId: project.id })).rejects.toMatchObject({ code: "not_found" });
  });
});
