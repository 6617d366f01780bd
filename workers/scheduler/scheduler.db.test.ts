import { asc, eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fires } from "@/db/schema/pipelines";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { publishTimed } from "@/db/testing/schedules";
import { until } from "@/db/testing/wait";
import type { Ctx } from "@/server/engine/context";
import { LEASE_TIMING } from "@/server/engine/leadership/lease-timing";
import { createScheduler, type Scheduler, type SchedulerOptions } from "./scheduler";

let database: TestDatabase;
let ctx: Ctx;
let projectId: string;
let started: Scheduler[] = [];
let made = 0;

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await database.sql`delete from leases`;
  await database.sql`update schedules set removed_at = now(), next_fire_at = null`;
  ctx = testCtx(database.db);
  projectId = (await makeProject(ctx)).id;
});
afterEach(async () => {
  await Promise.all(started.map((scheduler) => scheduler.stop()));
  started = [];
});
afterAll(() => database.close());

async function start(more: Partial<SchedulerOptions> = {}): Promise<Scheduler> {
  const scheduler = createScheduler({ databaseUrl: database.url, ctx, holder: `scheduler-${++made}`, ...more });
  started.push(scheduler);
  await scheduler.start();
  return scheduler;
}
const leading = (...schedulers: Scheduler[]) => until("one of them leads", async () => schedulers.find((scheduler) => scheduler.leads()));
const each = (cron: string, name = "often") => ({ name, cron, timezone: "UTC", overlap: "allow" as const, misfire: "all" as const });
const ledger = (pipelineId: string) => database.db.select().from(fires).where(eq(fires.pipelineId, pipelineId)).orderBy(asc(fires.fireAt));
const expire = () => database.sql`update leases set expires_at = clock_timestamp() - interval '1 second'`;

/** Seconds between neighbours: all 1 where no slot is missing and none came twice. */
const gaps = (lines: readonly { fireAt: Date }[]) =>
  lines.slice(1).map((line, n) => (line.fireAt.getTime() - (lines[n]?.fireAt.getTime() ?? 0)) / 1_000);

describe("the scheduler process", () => {
  test("fires each second on time, and says in its lease how late the wheel is (SCH-6)", async () => {
    await leading(await start());
    const { pipelineId } = await publishTimed(ctx, projectId, "ticking", [each("* * * * * *")]);
    const lines = await until("four fires", async () => {
      const all = await ledger(pipelineId);
      return all.length >= 4 && all;
    });
    expect(gaps(lines).every((gap) => gap === 1)).toBe(true);
    expect(lines.filter(({ verdict }) => verdict === "ran").length).toBeGreaterThanOrEqual(3);
    const report = await until("a report", async () => {
      const [row] = await database.sql`select report from leases`;
      return row?.report as { timers?: number } | undefined;
    });
    expect(report).toMatchObject({ timers: expect.any(Number), wheelLagMs: expect.any(Number), failing: [] });
  });

  test("hears of a schedule that another process publishes while its wheel is empty", async () => {
    await leading(await start());
    const before = new Date();
    const { pipelineId } = await publishTimed(ctx, projectId, "heard", [each("* * * * * *")]);
    const [line] = await until("a fire", async () => {
      const all = await ledger(pipelineId);
      return all.length > 0 && all;
    });
    expect((line?.createdAt.getTime() ?? 0) - before.getTime()).toBeLessThan(2_500);
  });

  test("that is stopped hands over within two seconds, and no slot is lost or repeated (SCH-7)", async () => {
    const first = await start();
    await leading(first);
    const second = await start();
    const { pipelineId } = await publishTimed(ctx, projectId, "handed", [each("* * * * * *")]);
    await until("a fire of the first", async () => (await ledger(pipelineId)).length > 0);
    const from = performance.now();
    await first.stop();
    await leading(second);
    expect(performance.now() - from).toBeLessThan(2_000);
    const lines = await until("fires of both", async () => {
      const all = await ledger(pipelineId);
      return new Set(all.map(({ epoch }) => epoch)).size === 2 && all.length >= 4 && all;
    });
    expect(gaps(lines).every((gap) => gap === 1)).toBe(true);
    expect(lines.every(({ duplicatesRefused }) => duplicatesRefused === 0)).toBe(true);
  });

  test("whose leadership flaps ten times fires each slot once, each time from an empty wheel (B33)", async () => {
    const quick = { ...LEASE_TIMING, renewEveryMs: 100, tryEveryMs: 50 };
    const epochs: number[] = [];
    const scheduler = await start({ timing: quick, signals: { gained: (epoch) => epochs.push(epoch) } });
    const { pipelineId } = await publishTimed(ctx, projectId, "flapping", [each("* * * * * *")]);
    for (let flap = 1; flap <= 10; flap++) {
      await until(`term ${flap}`, async () => epochs.length === flap && scheduler.leads());
      await expire();
    }
    await until("an eleventh term", async () => epochs.length === 11 && scheduler.leads());
    const settled = await ledger(pipelineId);
    const lines = await until("two more fires", async () => {
      const all = await ledger(pipelineId);
      return all.length >= settled.length + 2 && all;
    });
    expect(epochs).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(gaps(lines).every((gap) => gap === 1)).toBe(true);
    expect(lines.every(({ duplicatesRefused }) => duplicatesRefused === 0)).toBe(true);
  });

  test("does not wait for a pipeline that somebody saves at the very second", async () => {
    const { pipelineId } = await publishTimed(ctx, projectId, "held", [each("* * * * * *")]);
    const other = await publishTimed(ctx, projectId, "free", [each("* * * * * *")]);
    await leading(await start());
    await database.db.transaction(async (tx) => {
      await tx.execute(`select 1 from pipelines where id = '${pipelineId}' for update`);
      await until("the other fires", async () => (await ledger(other.pipelineId)).length >= 3);
      expect((await ledger(pipelineId)).length).toBeLessThan(3);
    });
    const lines = await until("the held one has caught up", async () => {
      const all = await ledger(pipelineId);
      return all.length >= (await ledger(other.pipelineId)).length && all;
    });
    expect(gaps(lines).every((gap) => gap === 1)).toBe(true);
  });

  test("whose duty keeps failing gives up the lease and fails, so that its supervisor starts it anew (B43)", async () => {
    const failing = { name: "broken", everyMs: 10, run: () => Promise.reject(new RangeError("no such column")) };
    const scheduler = await start({ duties: () => [failing] });
    await expect(scheduler.stopped).rejects.toThrow(/"broken" has failed 5 times/);
    const [lease] = await database.sql`select expires_at < clock_timestamp() as over from leases`;
    expect(lease?.over).toBe(true);
  }, 30_000);
});

describe("what is due while schedulers come and go", () => {
  test("300 retries over some seconds, two hand-overs and a lost lease in between: none lost, none twice (B31)", async () => {
    const { pipelineId } = await publishTimed(ctx, projectId, "delayed", [{ name: "never", cron: "0 0 1 1 *", timezone: "UTC" }]);
    await makeRetries(pipelineId, 300, 6_000);
    let scheduler = await start();
    for (let change = 0; change < 3; change++) {
      await leading(scheduler);
      const before = await queued(pipelineId);
      await until("some are queued", async () => (await queued(pipelineId)) >= Math.min(before + 20, 300));
      if (change === 1) await expire();
      else {
        await scheduler.stop();
        scheduler = await start();
      }
    }
    await until("all are queued", async () => (await queued(pipelineId)) === 300, 20_000);
    const events = await database.sql`
      select e.run_id, count(*)::integer as times
      from run_events e join runs r on r.id = e.run_id where r.pipeline_id = ${pipelineId} and e.event = 'retryDue' group by e.run_id`;
    expect(events).toHaveLength(300);
    expect(events.every((event) => event.times === 1)).toBe(true);
  }, 60_000);
});

const queued = async (pipelineId: string): Promise<number> => {
  const [row] = await database.sql`
    select count(*)::integer as n from node_runs n join runs r on r.id = n.run_id where r.pipeline_id = ${pipelineId} and n.state = 'QUEUED'`;
  return Number(row?.n ?? 0);
};

/** Runs whose one node waits for its next attempt, each at another moment. */
async function makeRetries(pipelineId: string, count: number, overMs: number): Promise<void> {
  const { createRuns } = await import("@/server/engine/runs/create-run");
  const [row] = await database.sql`select live_version_id from pipelines where id = ${pipelineId}`;
  const draft = {
    projectId,
    pipelineId,
    versionId: String(row?.live_version_id),
    trigger: { kind: "manual" as const, actor: { kind: "system" as const, id: "test", label: "test" } },
    params: {},
  };
  await database.db.transaction((tx) =>
    createRuns(
      ctx,
      tx,
      Array.from({ length: count }, () => draft),
    ),
  );
  await database.sql`update node_runs set state = 'RUNNING', token = 1, attempt_no = 1, attempts = 1
    where run_id in (select id from runs where pipeline_id = ${pipelineId})`;
  await database.sql`
    update node_runs n set state = 'RETRYING', due_at = clock_timestamp() + numbered.no * ${overMs / count}::float8 * interval '1 millisecond'
    from (select run_id, row_number() over () as no from node_runs where run_id in (select id from runs where pipeline_id = ${pipelineId})) numbered
    where n.run_id = numbered.run_id`;
}
