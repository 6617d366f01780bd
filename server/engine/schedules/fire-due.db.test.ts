import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fires, schedules } from "@/db/schema/pipelines";
import { platformEvents } from "@/db/schema/platform";
import { runs } from "@/db/schema/runs";
import { makeProject } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type ClockedWorld, clockedWorld, publishTimed, takeLease, timedDefinition } from "@/db/testing/schedules";
import { applyDefinition } from "@/server/engine/pipelines/apply-definition";
import { deletePipeline } from "@/server/engine/pipelines/delete-pipeline";
import { setPipelineArchived } from "@/server/engine/pipelines/set-archived";
import { setPipelineEnabled } from "@/server/engine/pipelines/set-enabled";
import { fireDue } from "./fire-due";
import { listFires } from "./list-fires";
import { toggleSchedule } from "./toggle-schedule";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let database: TestDatabase;
let world: ClockedWorld;
let projectId: string;
let fence: { name: string; epoch: number };

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await database.sql`delete from fires`;
  await database.sql`update schedules set removed_at = now(), next_fire_at = null`;
  world = clockedWorld(database, "2026-11-30T08:00:30.000Z");
  projectId = (await makeProject(world.ctx)).id;
  fence = await takeLease(database);
});
afterAll(() => database.close());

const every = { cron: "* * * * *", timezone: "UTC" } as const;

/** Fires until nothing is due, as the leader's duty does. */
async function fireAll(): Promise<number> {
  let count = 0;
  for (;;) {
    const report = await fireDue(world.ctx, fence);
    count += report.count;
    if (!report.more) return count;
  }
}
const ledger = async (name?: string) => {
  const rows = await database.db
    .select({
      at: fires.fireAt,
      verdict: fires.verdict,
      reason: fires.reason,
      lateMs: fires.lateMs,
      runId: fires.runId,
      name: schedules.name,
    })
    .from(fires)
    .innerJoin(schedules, eq(schedules.id, fires.scheduleId))
    .orderBy(fires.fireAt);
  return rows.filter((row) => name === undefined || row.name === name);
};
const verdicts = async (name?: string) =>
  (await ledger(name)).map(({ at, verdict, reason }) => `${at.toISOString().slice(11, 16)} ${reason ?? verdict}`);
const endRuns = (state = "SUCCESS") =>
  database.sql`update runs set state = ${state}, ended_at = now() where state in ('PENDING','RUNNING')`;
const scheduleOf = async (pipelineId: string) => {
  const [row] = await database.db.select().from(schedules).where(eq(schedules.pipelineId, pipelineId));
  if (!row) throw new Error("no schedule");
  return row;
};
const sums = async () => (await listFires(world.ctx, { projectId })).sums;

describe("a fire", () => {
  test("is one line, one run with its version pinned, and the next instant, in one commit (SCH-5, B17)", async () => {
    const { pipelineId } = await publishTimed(world.ctx, projectId, "orders", [{ ...every, name: "often" }]);
    world.at("2026-11-30T08:01:00.004Z");
    expect(await fireDue(world.ctx, fence)).toMatchObject({
      count: 1,
      more: false,
      moved: [{ version: 1, nextFireAt: new Date("2026-11-30T08:02:00Z") }],
    });
    expect(await fireDue(world.ctx, fence)).toMatchObject({ count: 0, more: false });
    const [line] = await ledger();
    expect(line).toMatchObject({ verdict: "ran", lateMs: 4 });
    const made = await database.db.select().from(runs).where(eq(runs.pipelineId, pipelineId));
    expect(made).toHaveLength(1);
    expect(made[0]).toMatchObject({
      id: line?.runId,
      versionNo: 1,
      triggerKind: "schedule",
      scheduledAt: new Date("2026-11-30T08:01:00Z"),
    });
    expect((await scheduleOf(pipelineId)).cursorAt).toEqual(new Date("2026-11-30T08:01:00Z"));
    await endRuns();
    expect((await scheduleOf(pipelineId)).nextFireAt).toEqual(new Date("2026-11-30T08:02:00Z"));
  });

  test("of a stale epoch is refused by the database and leaves nothing (SCH-7, B37)", async () => {
    const { pipelineId } = await publishTimed(world.ctx, projectId, "orders", [{ ...every, name: "often" }]);
    world.pass(MINUTE);
    const stale = fence;
    fence = await takeLease(database);
    await expect(fireDue(world.ctx, stale)).rejects.toThrow(/epoch \d+ .* is over/);
    expect(await ledger()).toEqual([]);
    expect((await scheduleOf(pipelineId)).cursorAt).toEqual(new Date("2026-11-30T08:00:30Z"));
    expect(await fireAll()).toBe(1);
  });

  test("that the ledger knows starts nothing and counts as a refused duplicate (SCH-5, B07)", async () => {
    const { pipelineId } = await publishTimed(world.ctx, projectId, "daily", [
      { name: "daily", cron: "35 8 * * *", timezone: "Etc/GMT-1" },
    ]);
    world.at("2026-12-01T07:35:00Z");
    expect(await fireAll()).toBe(1);
    world.pass(65 * MINUTE);
    expect(await fireAll()).toBe(0);
    await database.sql`update schedules set cursor_at = active_from, next_fire_at = '2026-12-01T07:35:00Z'`;
    expect(await fireAll()).toBe(0);
    expect(await database.db.select().from(runs).where(eq(runs.pipelineId, pipelineId))).toHaveLength(1);
    expect(await sums()).toMatchObject({ recorded: 1, duplicatesRefused: 1 });
  });

  test("of a weekly schedule over the autumn change comes once, whatever was stored before (B03)", async () => {
    await database.sql`select ensure_partitions('2026-10-15'::timestamptz, 3)`;
    world.at("2026-10-30T15:00:00Z");
    const { pipelineId } = await publishTimed(world.ctx, projectId, "weekly", [
      { name: "weekly", cron: "0 6 * * MON", timezone: "America/New_York" },
    ]);
    await database.sql`update schedules set next_fire_at = '2026-11-02T10:00:00Z' where pipeline_id = ${pipelineId}`;
    for (let hour = new Date("2026-11-01T06:00:00Z").getTime(); hour <= new Date("2026-11-02T12:00:00Z").getTime(); hour += HOUR) {
      world.at(hour);
      await fireAll();
    }
    expect((await ledger()).map(({ at, verdict }) => [at.toISOString(), verdict])).toEqual([["2026-11-02T11:00:00.000Z", "ran"]]);
  });

  test("of a schedule whose years end comes once and never again (B30)", async () => {
    const { pipelineId } = await publishTimed(world.ctx, projectId, "once", [
      { name: "once", cron: "0 0 9 30 11 ? 2026", dialect: "quartz", timezone: "UTC" },
    ]);
    world.at("2026-11-30T09:00:00Z");
    expect(await fireAll()).toBe(1);
    await endRuns();
    world.pass(3 * HOUR);
    expect(await fireAll()).toBe(0);
    expect((await scheduleOf(pipelineId)).nextFireAt).toBeNull();
  });

  test("whose run is refused says so in the ledger, and the others of its batch run", async () => {
    const params = { day: { type: "string" as const } };
    const timed = (name: string, more: object = {}) => [{ ...every, name, ...more }];
    const { pipelineId } = await publishTimed(world.ctx, projectId, "picky", timed("picky", { params: { day: "monday" } }), { params });
    await publishTimed(world.ctx, projectId, "easy", timed("easy"));
    await database.sql`update schedules set params = '{}'::jsonb where pipeline_id = ${pipelineId}`;
    world.pass(MINUTE);
    expect(await fireAll()).toBe(2);
    expect(await verdicts("picky")).toEqual(["08:01 run_refused"]);
    expect(await verdicts("easy")).toEqual(["08:01 late"]);
    const events = await database.db.select().from(platformEvents).where(eq(platformEvents.code, "APOLLO_SCHEDULED_RUN_REFUSED_422"));
    expect(events).toHaveLength(1);
  });

  test("of a schedule that cannot be read sets it aside with a reason and holds up nobody (B06)", async () => {
    const bad = await publishTimed(world.ctx, projectId, "bad", [{ ...every, name: "bad" }]);
    await publishTimed(world.ctx, projectId, "good", [{ ...every, name: "good" }]);
    await database.sql`update schedules set timezone = 'Mars/Base' where pipeline_id = ${bad.pipelineId}`;
    world.at("2026-11-30T08:01:00Z");
    expect(await fireAll()).toBe(1);
    expect(await verdicts()).toEqual(["08:01 ran"]);
    expect(await scheduleOf(bad.pipelineId)).toMatchObject({ health: "ERROR", healthReason: expect.stringContaining("Mars/Base") });
    const events = await database.db.select().from(platformEvents).where(eq(platformEvents.code, "APOLLO_SCHEDULE_UNREADABLE_422"));
    expect(events).toHaveLength(1);
    await publishTimed(world.ctx, projectId, "bad", [{ ...every, name: "bad", timezone: "Europe/Paris" }]);
    expect(await scheduleOf(bad.pipelineId)).toMatchObject({ health: "OK", nextFireAt: new Date("2026-11-30T08:02:00Z") });
  });
});

describe("what came while nobody looked", () => {
  test("a leader that was frozen for 61 s and 125 s loses no slot (B16)", async () => {
    await publishTimed(world.ctx, projectId, "orders", [{ ...every, name: "often", misfire: "all", overlap: "allow" }]);
    for (const frozenMs of [30_000, 61_000, 125_000]) {
      world.pass(frozenMs);
      await fireAll();
    }
    expect(await verdicts()).toEqual(["08:01 ran", "08:02 ran", "08:03 caught_up", "08:04 late"]);
    expect(await sums()).toMatchObject({ expected: 4, recorded: 4, balanced: true });
  });

  test("after 8 h off each slot has its verdict, and the next regular one fires under every policy (B23)", async () => {
    for (const misfire of ["latest", "all", "none"] as const) {
      await publishTimed(world.ctx, projectId, misfire, [{ ...every, name: misfire, misfire, overlap: "allow" }]);
    }
    world.pass(8 * HOUR + 5 * 1_000);
    await fireAll();
    const counted = async (name: string) => {
      const counts: Record<string, number> = {};
      for (const { verdict, reason } of await ledger(name)) counts[reason ?? verdict] = (counts[reason ?? verdict] ?? 0) + 1;
      return counts;
    };
    expect(await counted("latest")).toEqual({ superseded: 479, late: 1 });
    expect(await counted("none")).toEqual({ policy_none: 479, late: 1 });
    expect(await counted("all")).toEqual({ over_count: 380, caught_up: 99, late: 1 });
    expect(await sums()).toMatchObject({ expected: 1_440, recorded: 1_440, balanced: true });
    world.at("2026-11-30T16:01:00Z");
    expect(await fireAll()).toBe(3);
  });

  test("a schedule that was off for three weeks is judged by its policy when it is on again (SCH-3, B23)", async () => {
    const { pipelineId } = await publishTimed(world.ctx, projectId, "hourly", [
      { name: "hourly", cron: "0 * * * *", timezone: "UTC", overlap: "allow" },
    ]);
    world.at("2026-11-30T09:00:00Z");
    await fireAll();
    const { id: scheduleId } = await scheduleOf(pipelineId);
    world.at("2026-11-30T09:30:00Z");
    await toggleSchedule(world.ctx, { projectId, scheduleId, enabled: false });
    world.pass(21 * 24 * HOUR);
    expect(await fireAll()).toBe(0);
    await toggleSchedule(world.ctx, { projectId, scheduleId, enabled: true });
    expect(await fireAll()).toBe(21 * 24);
    expect((await ledger()).map(({ verdict }) => verdict).filter((verdict) => verdict !== "missed")).toEqual(["ran", "caught_up"]);
    expect(await sums()).toMatchObject({ balanced: true });
    world.pass(30 * MINUTE);
    expect(await fireAll()).toBe(1);
  });

  test("a schedule that was never on owes nothing when it is switched on first", async () => {
    const { pipelineId } = await publishTimed(world.ctx, projectId, "imported", [{ ...every, name: "imported", enabled: false }]);
    world.pass(24 * HOUR);
    const { id: scheduleId } = await scheduleOf(pipelineId);
    await toggleSchedule(world.ctx, { projectId, scheduleId, enabled: true });
    expect(await fireAll()).toBe(0);
    world.pass(MINUTE);
    expect(await fireAll()).toBe(1);
  });

  test("a pipeline that was never on owes nothing when it is enabled first, whatever was done to its schedules before (SCH-3)", async () => {
    const spec = {
      name: "imported",
      source: { kind: "value" as const, value: timedDefinition("imported", [{ ...every, name: "often" }]) },
      enabled: false,
    };
    const { pipelineId } = await applyDefinition(world.ctx, { projectId, ...spec });
    if (!pipelineId) throw new Error("not made");
    world.pass(24 * HOUR);
    const { id: scheduleId } = await scheduleOf(pipelineId);
    await toggleSchedule(world.ctx, { projectId, scheduleId, enabled: false });
    await toggleSchedule(world.ctx, { projectId, scheduleId, enabled: true });
    await publishTimed(world.ctx, projectId, "imported", [{ ...every, name: "often", overlap: "allow" }]);
    world.pass(24 * HOUR);
    await setPipelineEnabled(world.ctx, { projectId, pipelineId, enabled: true });
    expect(await fireAll()).toBe(0);
    world.pass(MINUTE);
    expect(await fireAll()).toBe(1);
    expect(await sums()).toMatchObject({ expected: 1, recorded: 1, balanced: true });
  });

  test("a pipeline that was on and off again is judged by the misfire policy of its schedules (SCH-3)", async () => {
    const { pipelineId } = await publishTimed(world.ctx, projectId, "orders", [{ ...every, name: "often", overlap: "allow" }]);
    await setPipelineEnabled(world.ctx, { projectId, pipelineId, enabled: false });
    world.pass(HOUR);
    await setPipelineEnabled(world.ctx, { projectId, pipelineId, enabled: true });
    expect(await fireAll()).toBe(60);
    expect((await verdicts()).filter((line) => !line.endsWith("superseded"))).toEqual(["09:00 late"]);
    await setPipelineArchived(world.ctx, { projectId, pipelineId, archived: true });
    world.pass(HOUR);
    await setPipelineArchived(world.ctx, { projectId, pipelineId, archived: false });
    await setPipelineEnabled(world.ctx, { projectId, pipelineId, enabled: true });
    expect(await fireAll()).toBe(60);
    expect(await sums()).toMatchObject({ expected: 120, recorded: 120, balanced: true });
  });

  test("a disabled or deleted pipeline starts no run after that commit (PIP-9)", async () => {
    const { pipelineId } = await publishTimed(world.ctx, projectId, "orders", [{ ...every, name: "often" }]);
    await setPipelineEnabled(world.ctx, { projectId, pipelineId, enabled: false });
    world.pass(2 * MINUTE);
    expect(await fireDue(world.ctx, fence)).toMatchObject({ count: 0, held: false });
    await setPipelineEnabled(world.ctx, { projectId, pipelineId, enabled: true });
    expect(await fireAll()).toBe(2);
    world.pass(MINUTE);
    await deletePipeline(world.ctx, { projectId, pipelineId, reason: "not needed any more" });
    expect(await fireAll()).toBe(0);
    expect((await verdicts()).at(-1)).toBe("08:03 removed");
    expect(await sums()).toMatchObject({ expected: 3, balanced: true });
  });
});

describe("many at once", () => {
  test("a transaction is bounded by the nodes that its fires make, and every fire still has its line and its run (B23, SCH-5)", async () => {
    const nodes = Array.from({ length: 20 }, (_, n) => ({ key: `n${n}`, type: "http" as const, with: { url: "http://orders.example" } }));
    const { pipelineId } = await publishTimed(
      world.ctx,
      projectId,
      "wide",
      [{ ...every, name: "wide", misfire: "all", overlap: "allow" }],
      { nodes },
    );
    world.pass(10 * MINUTE);
    const counts: number[] = [];
    for (let more = true; more; ) {
      const report = await fireDue(world.ctx, fence, { rows: 50 });
      counts.push(report.count);
      more = report.more;
    }
    expect(counts).toEqual([2, 2, 2, 2, 2]);
    expect((await fireDue(world.ctx, fence, { rows: 1 })).count).toBe(0);
    const [made] =
      await database.sql`select count(*)::integer as n from node_runs n join runs r on r.id = n.run_id where r.pipeline_id = ${pipelineId}`;
    expect(made?.n).toBe(200);
    expect(await sums()).toMatchObject({ expected: 10, recorded: 10, balanced: true });
  });

  test("a run that makes more nodes than a transaction should is made all the same, by itself", async () => {
    await publishTimed(world.ctx, projectId, "a", [{ ...every, name: "a" }]);
    await publishTimed(world.ctx, projectId, "b", [{ ...every, name: "b" }]);
    world.pass(MINUTE);
    expect(await fireDue(world.ctx, fence, { rows: 1 })).toMatchObject({ count: 1, more: true });
    expect(await fireDue(world.ctx, fence, { rows: 1 })).toMatchObject({ count: 1 });
  });

  test("a fire that a newer one replaces is not started because the batch was cut before the newer one", async () => {
    await publishTimed(world.ctx, projectId, "newest", [{ ...every, name: "newest", misfire: "all", overlap: "cancel_previous" }]);
    world.pass(3 * MINUTE);
    for (let more = true; more; ) more = (await fireDue(world.ctx, fence, { rows: 1 })).more;
    expect(await verdicts()).toEqual(["08:01 replaced", "08:02 replaced", "08:03 late"]);
  });

  test("500 schedules due in the same second: 500 runs, none twice, with two loops at work (B32)", async () => {
    const timed = Array.from({ length: 50 }, (_, n) => ({ name: `s${n}`, cron: "0 * * * *", timezone: "UTC", overlap: "allow" as const }));
    for (let n = 0; n < 10; n++) await publishTimed(world.ctx, projectId, `hourly-${n}`, timed);
    world.at("2026-11-30T09:00:00.002Z");
    const counts = await Promise.all([fireAll(), fireAll()]);
    expect(counts[0] + counts[1]).toBe(500);
    const lines = await ledger();
    expect(lines.filter(({ verdict }) => verdict === "ran")).toHaveLength(500);
    expect(new Set(lines.map(({ runId }) => runId)).size).toBe(500);
    expect(await sums()).toMatchObject({ expected: 500, duplicatesRefused: 0, balanced: true });
  });
});
