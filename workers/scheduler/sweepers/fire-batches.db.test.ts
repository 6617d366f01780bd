import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fires, schedules } from "@/db/schema/pipelines";
import { platformEvents } from "@/db/schema/platform";
import { makeProject } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type ClockedWorld, clockedWorld, publishTimed, takeLease } from "@/db/testing/schedules";
import type { Ctx } from "@/server/engine/context";
import { listFires } from "@/server/engine/schedules/list-fires";
import { toggleSchedule } from "@/server/engine/schedules/toggle-schedule";
import { type BatchReport, createFireBatches, type FireBatches } from "./fire-batches";

let database: TestDatabase;
let world: ClockedWorld;
let ctx: Ctx;
let projectId: string;
let fence: { name: string; epoch: number };
let batches: FireBatches;

beforeAll(async () => {
  database = await openTestDatabase();
  await database.sql`create table poisoned (schedule_id uuid primary key)`;
  await database.sql.unsafe(`
    create function refuse_poisoned() returns trigger language plpgsql as $$
    begin
      if exists (select from poisoned p where p.schedule_id = new.schedule_id) then
        raise exception 'canceling statement due to statement timeout' using errcode = '57014';
      end if;
      return new;
    end $$`);
  await database.sql`create trigger refuse_poisoned before insert on fires for each row execute function refuse_poisoned()`;
});
beforeEach(async () => {
  await database.sql`update schedules set removed_at = now(), next_fire_at = null`;
  world = clockedWorld(database, "2026-11-30T08:00:30.000Z");
  ctx = { ...world.ctx, clock: { ...world.ctx.clock, monotonicMs: () => world.now().getTime() } };
  projectId = (await makeProject(ctx)).id;
  fence = await takeLease(database);
  batches = createFireBatches();
});
afterEach(() => database.sql`delete from poisoned`);
afterAll(() => database.close());

async function publish(name: string): Promise<string> {
  const timed = { name, cron: "* * * * *", timezone: "UTC", overlap: "allow" as const, misfire: "all" as const };
  const { pipelineId } = await publishTimed(ctx, projectId, name, [timed]);
  const [row] = await database.db.select({ id: schedules.id }).from(schedules).where(eq(schedules.pipelineId, pipelineId));
  return row?.id ?? "";
}
const poison = (id: string) => database.sql`insert into poisoned values (${id})`;
const rowOf = async (id: string) => (await database.db.select().from(schedules).where(eq(schedules.id, id)))[0];
const linesOf = async (id: string) => (await database.db.select().from(fires).where(eq(fires.scheduleId, id))).length;

/** As the duty does, until there is nothing to do at once. */
async function fireAll(): Promise<void> {
  for (let rounds = 0; rounds < 60; rounds++) {
    const report: BatchReport = await batches.fire(ctx, fence);
    if (!report.again && !report.more) return;
  }
  throw new Error("it never comes to rest");
}

describe("fires that fail", () => {
  test("a schedule whose statements are always cut off holds up nobody, and is set aside with an event (B06, B43)", async () => {
    const bad = await publish("bad");
    const good = await Promise.all(["a", "b", "c", "d"].map(publish));
    await poison(bad);
    world.pass(60_000);
    await fireAll();
    expect(await Promise.all(good.map(linesOf))).toEqual([1, 1, 1, 1]);
    expect(await rowOf(bad)).toMatchObject({ health: "OK" });
    for (let second = 0; second < 59; second++) {
      world.pass(1_000);
      await fireAll();
    }
    expect(await rowOf(bad)).toMatchObject({
      health: "ERROR",
      nextFireAt: null,
      healthReason: expect.stringContaining("statement timeout"),
    });
    const events = await database.db.select().from(platformEvents).where(eq(platformEvents.code, "APOLLO_SCHEDULE_FAILING_500"));
    expect(events.map(({ data }) => data)).toMatchObject([{ scheduleId: bad }]);
    world.pass(60_000);
    await fireAll();
    expect(await Promise.all(good.map(linesOf))).toEqual([3, 3, 3, 3]);

    await database.sql`delete from poisoned`;
    await toggleSchedule(ctx, { projectId, scheduleId: bad, enabled: true });
    await fireAll();
    expect(await linesOf(bad)).toBe(3);
    expect((await listFires(ctx, { projectId })).sums).toMatchObject({ expected: 15, recorded: 15, balanced: true });
  });

  test("one that recovers in time fires all that it missed (SCH-5)", async () => {
    const late = await publish("late");
    await poison(late);
    world.pass(60_000);
    await fireAll();
    expect(await linesOf(late)).toBe(0);
    await database.sql`delete from poisoned`;
    world.pass(60_000);
    await fireAll();
    expect(await linesOf(late)).toBe(2);
    expect(await rowOf(late)).toMatchObject({ health: "OK" });
  });

  test("when everything fails nobody is set aside: the duty itself has failed (B43)", async () => {
    const all = await Promise.all(["a", "b", "c", "d", "e", "f"].map(publish));
    for (const id of all) await poison(id);
    world.pass(60_000);
    await expect(fireAll()).rejects.toThrow(/could not be written/);
    expect((await Promise.all(all.map(rowOf))).map((row) => row?.health)).toEqual(all.map(() => "OK"));
  });
});
