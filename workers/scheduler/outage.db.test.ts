import { asc, eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fires } from "@/db/schema/pipelines";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type Line, openLine } from "@/db/testing/proxy";
import { publishTimed } from "@/db/testing/schedules";
import { until } from "@/db/testing/wait";
import type { ElectorSignals } from "./leader";
import { createScheduler, type Scheduler, type SchedulerOptions } from "./scheduler";

let database: TestDatabase;
let line: Line;
let pipelineId: string;
let started: Scheduler[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await database.sql`delete from leases`;
  await database.sql`update schedules set removed_at = now(), next_fire_at = null`;
  line = await openLine(database.url);
  const ctx = testCtx(database.db);
  const { id: projectId } = await makeProject(ctx);
  const timed = [{ name: "often", cron: "* * * * * *", timezone: "UTC", overlap: "allow" as const, misfire: "all" as const }];
  pipelineId = (await publishTimed(ctx, projectId, "ticking", timed)).pipelineId;
});
afterEach(async () => {
  await line.set("open");
  await Promise.all(started.map((scheduler) => scheduler.stop()));
  started = [];
  await line.close();
});
afterAll(() => database.close());

/** A scheduler whose whole world lies behind the given address. */
async function start(
  holder: string,
  databaseUrl: string,
  signals: ElectorSignals = {},
  more: Partial<SchedulerOptions> = {},
): Promise<Scheduler> {
  const scheduler = createScheduler({ databaseUrl, ctx: testCtx(database.db), holder, signals, ...more });
  started.push(scheduler);
  await scheduler.start();
  return scheduler;
}
const leads = (scheduler: Scheduler, limitMs = 10_000) => until("it leads", async () => scheduler.leads(), limitMs);
const ledger = () => database.db.select().from(fires).where(eq(fires.pipelineId, pipelineId)).orderBy(asc(fires.fireAt));
const moreFires = async (count: number) => {
  const before = (await ledger()).length;
  return until(`${count} more fires`, async () => {
    const all = await ledger();
    return all.length >= before + count && all;
  });
};
const leaseIsLive = async () => {
  const [row] = await database.sql`select expires_at > clock_timestamp() as live from leases`;
  return row?.live === true;
};

async function expectWhole(): Promise<void> {
  const lines = await ledger();
  const gaps = lines.slice(1).map(({ fireAt }, n) => fireAt.getTime() - (lines[n]?.fireAt.getTime() ?? 0));
  expect(gaps.filter((gap) => gap !== 1_000)).toEqual([]);
  expect(lines.every(({ duplicatesRefused, runId }) => duplicatesRefused === 0 && runId !== null)).toBe(true);
}

describe("a leader and its line to the database", () => {
  test("cut off without a word, it stops before its lease runs out, and another fires what is due (SCH-7, B36)", async () => {
    let wasLive: boolean | undefined;
    const cut = await start("cut", line.url, { lost: () => void leaseIsLive().then((live) => (wasLive = live)) });
    await leads(cut);
    const other = await start("other", database.url);
    await moreFires(2);
    const from = performance.now();
    await line.set("silent");
    await leads(other, 9_000);
    expect(performance.now() - from).toBeLessThan(9_000);
    expect(cut.leads()).toBe(false);
    expect(wasLive).toBe(true);
    await moreFires(2);
    await line.set("open");
    await moreFires(2);
    expect(cut.health()).toEqual({ ok: true, detail: "standing by" });
    await expectWhole();
  }, 60_000);

  test("while the database is away for longer than a lease, it neither exits nor loses a slot (SCH-5, SCH-7)", async () => {
    let lost = 0;
    const alone = await start("alone", line.url, { lost: () => lost++ });
    await leads(alone);
    await moreFires(2);
    await line.set("refused");
    await until("its term is over", async () => lost === 1);
    expect(alone.health().ok).toBe(true);
    await line.set("open");
    await leads(alone);
    await moreFires(3);
    await expectWhole();
  }, 60_000);

  test("whose connections all die without a word gives them up and fires on over new ones, each slot once (B43, F3)", async () => {
    const epochs: number[] = [];
    const alone = await start("walled", line.url, { gained: (epoch) => epochs.push(epoch) }, { dutyLimitMs: 2_000 });
    await leads(alone);
    await moreFires(2);
    line.forget();
    await until("a new term", async () => epochs.length > 1, 20_000);
    await leads(alone);
    await moreFires(3);
    expect(alone.health().ok).toBe(true);
    await expectWhole();
  }, 60_000);

  test("whose connections are all killed again and again goes on where it was (B16)", async () => {
    const stormed = await start("stormed", line.url);
    await leads(stormed);
    for (let n = 0; n < 8; n++) {
      await database.sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name in ('apollo11-lease', 'apollo11-leader')`;
      await moreFires(1);
    }
    await leads(stormed);
    await expectWhole();
    const { pipelineId: heard } = await publishTimed(testCtx(database.db), (await makeProject(testCtx(database.db))).id, "heard", [
      { name: "often", cron: "* * * * * *", timezone: "UTC" },
    ]);
    await until("a new schedule fires", async () => (await database.db.select().from(fires).where(eq(fires.pipelineId, heard))).length > 0);
  }, 60_000);

  test("that may not read the lease says so, does not exit, and leads when it may (B43)", async () => {
    const role = `half_${process.pid}`;
    await database.sql.unsafe(`create role ${role} login password 'x' superuser`);
    const url = new URL(database.url);
    url.username = role;
    url.password = "x";
    const [me] = await database.sql`select current_user as name`;
    await database.sql.unsafe(`alter role ${role} nosuperuser`);
    const barred = await start("barred", url.toString());
    await until("it says so", async () => barred.health().detail?.includes("permission denied for table leases"));
    expect(barred.health().ok).toBe(false);
    await database.sql.unsafe(`grant ${String(me?.name)} to ${role}`);
    await leads(barred, 20_000);
    expect(barred.health()).toEqual({ ok: true, detail: "leading" });
    await barred.stop();
    await database.sql.unsafe(`drop role ${role}`);
  }, 60_000);

  test("whose lease table is lost fails aloud, as does whoever starts without it, and leads again when it is back (B38, B43)", async () => {
    const bereft = await start("bereft", database.url);
    await leads(bereft);
    await database.sql.unsafe("alter table leases rename to leases_lost");
    await until("it says so", async () => bereft.health().detail?.includes('"leases" does not exist'), 20_000);
    await expect(bereft.stopped).rejects.toThrow(/has failed 5 times/);
    const next = await start("next", database.url);
    await until("the next one says so too", async () => next.health().detail?.includes('"leases" does not exist'), 20_000);
    expect(next.leads()).toBe(false);
    await database.sql.unsafe("alter table leases_lost rename to leases");
    await leads(next, 20_000);
    expect(next.health().ok).toBe(true);
  }, 60_000);
});
