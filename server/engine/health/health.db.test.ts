import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connect } from "@/db/client";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { openLine } from "@/db/testing/proxy";
import { type ClockedWorld, clockedWorld, publishTimed, takeLease } from "@/db/testing/schedules";
import { until } from "@/db/testing/wait";
import { fireDue } from "@/server/engine/schedules/fire-due";
import { lateOrSilent } from "./late-or-silent";
import { listBroken } from "./list-broken";
import { loadHome } from "./load-home";
import { platformHealth } from "./report-health";
import { upcomingFires } from "./upcoming-fires";

const MINUTE = 60_000;

let database: TestDatabase;
let world: ClockedWorld;
let project: { id: string; key: string };

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await database.sql`delete from leases`;
  await database.sql`delete from workers`;
  await database.sql`delete from node_runs`;
  await database.sql`update schedules set removed_at = now(), next_fire_at = null`;
  world = clockedWorld(database, "2026-11-30T08:00:30.000Z");
  project = await makeProject(world.ctx);
});
afterAll(() => database.close());

const every = (name = "often", more: object = {}) => ({ name, cron: "* * * * *", timezone: "UTC", ...more });
const worker = (id: string, more: { aliveMs?: number; draining?: boolean; refusing?: string } = {}) => database.sql`
  insert into workers (id, boot_id, expires_at, groups, slots, hostname, pid, draining, refusing, fingerprint)
  values (${id}, gen_random_uuid(), clock_timestamp() + ${more.aliveMs ?? 10_000}::integer * interval '1 millisecond', '{default,warehouse}', 8, 'host', 1,
    ${more.draining ?? false}, ${more.refusing ?? null}, '{}')`;

describe("the platform's health (OBS-1, ALT-5)", () => {
  test("names the leader with its epoch and the wheel's lateness, and no one once the lease ran out", async () => {
    expect(await platformHealth(world.ctx)).toEqual({
      database: "ok",
      leader: null,
      workers: [],
      queue: [],
      oldestReadyMs: 0,
      oldestOverdueMs: 0,
      unread: [],
    });
    const { epoch } = await takeLease(database);
    await database.sql`update leases set report = '{"wheelLagMs": 7, "failing": [{"name": "partitions", "why": "permission denied"}]}'`;
    expect((await platformHealth(world.ctx)).leader).toMatchObject({
      holder: "test",
      epoch,
      wheelLagMs: 7,
      expiresAt: expect.any(Date),
      failing: [{ name: "partitions", why: "permission denied" }],
    });
    await database.sql`update leases set expires_at = clock_timestamp() - interval '1 second'`;
    expect((await platformHealth(world.ctx)).leader).toBeNull();
  });

  test("lists workers, which of them live, and why one takes no new node", async () => {
    await worker("a");
    await worker("b", { aliveMs: -1 });
    await worker("c", { refusing: "disk" });
    await worker("d", { draining: true });
    const { workers } = await platformHealth(world.ctx);
    expect(workers.map(({ id, alive, refusing }) => [id, alive, refusing])).toEqual([
      ["a", true, null],
      ["b", false, null],
      ["c", true, "disk"],
      ["d", true, "drain"],
    ]);
    expect(workers[0]).toMatchObject({ groups: ["default", "warehouse"], slots: 8 });
  });

  test("says how much waits in each group, and for how long", async () => {
    await publishTimed(world.ctx, project.id, "orders", [every("often", { misfire: "all", overlap: "allow" })]);
    world.pass(3 * MINUTE);
    await fireDue(world.ctx, await takeLease(database));
    await database.sql`update node_runs set queued_at = clock_timestamp() - interval '90 seconds' where ord = 0 and run_id = (select min(run_id::text)::uuid from node_runs)`;
    const { queue, oldestReadyMs } = await platformHealth(world.ctx);
    expect(oldestReadyMs).toBe(queue[0]?.oldestMs);
    expect(queue).toEqual([{ group: "default", queued: 3, oldestMs: expect.any(Number) }]);
    expect(queue[0]?.oldestMs).toBeGreaterThanOrEqual(90_000);
    expect(queue[0]?.oldestMs).toBeLessThan(100_000);
  });

  test("tells what should have been done by now and was not", async () => {
    await publishTimed(world.ctx, project.id, "orders", [every()]);
    await database.sql`update schedules set next_fire_at = clock_timestamp() - interval '75 seconds' where project_id = ${project.id}`;
    const { oldestOverdueMs } = await platformHealth(world.ctx);
    expect(oldestOverdueMs).toBeGreaterThanOrEqual(75_000);
    expect(oldestOverdueMs).toBeLessThan(90_000);
  });

  test("answers in time where one reading hangs, says which it lacks, and leaves none behind (OBS-1)", async () => {
    await worker("a");
    const other = database.another();
    const health = await other.db.transaction(async (tx) => {
      await tx.execute(sql`lock table node_runs in access exclusive mode`);
      const from = performance.now();
      const answer = await platformHealth(world.ctx, 300);
      expect(performance.now() - from).toBeLessThan(2_000);
      const hanging = () => database.sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%node_runs%'`;
      await until("the late readings are over", async () => (await hanging()).length === 0, 2_000);
      return answer;
    });
    expect(health).toMatchObject({ database: "ok", unread: expect.arrayContaining(["queue", "overdue"]) });
    expect(health.workers).toHaveLength(1);
  });

  test("answers that the database is down where it is silent, and where a permission is gone says what cannot be read (OBS-1)", async () => {
    const line = await openLine(database.url);
    const silent = connect({ url: line.url, max: 4, applicationName: "test" });
    await silent.sql`select 1`;
    await line.set("silent");
    const from = performance.now();
    expect(await platformHealth(testCtx(silent.db), 300)).toMatchObject({ database: "down", leader: null });
    expect(performance.now() - from).toBeLessThan(2_000);
    await line.set("open");
    await Promise.all([silent.sql.end({ timeout: 0 }), line.close()]);
    await database.sql.unsafe(
      "drop role if exists half_blind; create role half_blind; grant select on leases, workers, schedules, pipelines to half_blind",
    );
    const blind = database.another({ role: "half_blind" });
    expect(await platformHealth(testCtx(blind.db))).toMatchObject({ database: "ok", unread: ["queue", "overdue"] });
    await database.sql.unsafe("drop owned by half_blind; drop role half_blind");
  });

  test("is an answer, not a failure, when the database is away", async () => {
    const gone = database.another();
    await gone.close();
    expect(await platformHealth(testCtx(gone.db))).toMatchObject({ database: "down", leader: null });
  });
});

describe("the home screen (OBS-1)", () => {
  test("what comes next, soonest first, of what is on", async () => {
    await publishTimed(world.ctx, project.id, "orders", [
      { name: "half", cron: "*/30 * * * *", timezone: "UTC" },
      { name: "quarter", cron: "15 * * * *", timezone: "Asia/Kolkata" },
      { name: "off", cron: "* * * * *", timezone: "UTC", enabled: false },
      { name: "far", cron: "0 0 1 1 *", timezone: "UTC" },
    ]);
    const { items, more } = await upcomingFires(world.ctx, project.id, 1);
    expect(items.map(({ fireAt, schedule }) => `${fireAt.toISOString().slice(11, 16)} ${schedule.name}`)).toEqual([
      "08:30 half",
      "08:45 quarter",
      "09:00 half",
    ]);
    expect(more).toBe(false);
  });

  test("what is late or silent, by schedule, the gravest first (ALT-5)", async () => {
    const fence = await takeLease(database);
    await publishTimed(world.ctx, project.id, "behind", [every("behind", { misfire: "none", overlap: "allow" })]);
    world.pass(3 * MINUTE);
    await fireDue(world.ctx, fence);
    const silent = await publishTimed(world.ctx, project.id, "silent", [every("silent")]);
    await publishTimed(world.ctx, project.id, "lost", [every("lost")]);
    await database.sql`update schedules set health = 'ERROR', health_reason = 'no such zone' where name = 'lost' and project_id = ${project.id}`;
    world.pass(91_000);
    await database.sql`update schedules set next_fire_at = ${new Date(world.now().getTime() - 31_000).toISOString()} where pipeline_id = ${silent.pipelineId}`;
    await database.sql`update schedules set next_fire_at = ${new Date(world.now().getTime() + 1_000).toISOString()} where name = 'behind' and project_id = ${project.id}`;
    const lines = await lateOrSilent(world.ctx, project.id);
    expect(lines.map(({ kind, schedule, count, reason }) => [kind, schedule.name, count, reason])).toEqual([
      ["unreadable", "lost", 1, "no such zone"],
      ["silent", "silent", 1, null],
      ["missed", "behind", 2, "policy_none"],
      ["late", "behind", 1, null],
    ]);
  });

  test("what is broken, by pipeline and code, with count, age and owner (ALT-7)", async () => {
    const fence = await takeLease(database);
    await publishTimed(world.ctx, project.id, "orders", [every("often", { misfire: "all", overlap: "allow" })]);
    world.pass(3 * MINUTE);
    await fireDue(world.ctx, fence);
    await database.sql`update node_runs set state = 'RUNNING', token = 1`;
    await database.sql`update node_runs set state = 'FAILED', error_code = 'ORDER_PULL_TIMEOUT_504', error_message = 'no answer', ended_at = clock_timestamp() - interval '4 minutes'`;
    const broken = await listBroken(world.ctx, project.id);
    expect(broken).toMatchObject([
      {
        pipeline: { name: "orders", owner: "data-team" },
        code: "ORDER_PULL_TIMEOUT_504",
        nodes: 3,
        runs: 3,
        nodeKey: "pull",
        message: "no answer",
      },
    ]);
    expect(broken[0]?.ageMs).toBeGreaterThanOrEqual(240_000);
    await database.sql`update runs set state = 'CANCELED' where project_id = ${project.id}`;
    expect(await listBroken(world.ctx, project.id)).toEqual([]);
  });

  test("stands in one read, with what changed in the last hour, for those who may see the project (AUD-1)", async () => {
    await publishTimed(world.ctx, project.id, "orders", [every()]);
    const viewer = actingAs(world.ctx, await makeUser(world.ctx, project, "viewer"));
    const home = await loadHome(viewer, project.id);
    expect(home).toMatchObject({ platform: { database: "ok" }, broken: [], deadLetters: 0, next: { more: false } });
    expect(home.next.items).toHaveLength(60);
    expect(home.changed.map(({ verb }) => verb)).toContain("pipeline.apply");
    world.pass(2 * 60 * MINUTE);
    expect((await loadHome(viewer, project.id)).changed).toEqual([]);
    const stranger = actingAs(world.ctx, await makeUser(world.ctx, await makeProject(world.ctx), "admin"));
    await expect(loadHome(stranger, project.id)).rejects.toMatchObject({ code: "not_found" });
  });
});
