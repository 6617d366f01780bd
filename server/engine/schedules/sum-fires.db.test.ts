import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { makeProject } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type ClockedWorld, clockedWorld, publishTimed, takeLease } from "@/db/testing/schedules";
import { fireDue } from "./fire-due";
import { listFires } from "./list-fires";

const HOUR = 3_600_000;

let database: TestDatabase;
let world: ClockedWorld;
let projectId: string;
let pipelineId: string;

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await database.sql`update schedules set removed_at = now(), next_fire_at = null`;
  world = clockedWorld(database, "2026-11-10T08:00:30.000Z");
  projectId = (await makeProject(world.ctx)).id;
  const hourly = [{ name: "hourly", cron: "0 * * * *", timezone: "UTC", misfire: "none" as const }];
  pipelineId = (await publishTimed(world.ctx, projectId, "hourly", hourly)).pipelineId;
  world.pass(10 * 24 * HOUR);
  const fence = await takeLease(database);
  for (let more = true; more; ) more = (await fireDue(world.ctx, fence)).more;
});
afterAll(() => database.close());

test("without a lower bound a project is summed over a day and one pipeline over a week, however long its ledger is (SCH-5)", async () => {
  expect((await listFires(world.ctx, { projectId })).sums).toMatchObject({ expected: 24, recorded: 24, balanced: true, byDefault: true });
  expect((await listFires(world.ctx, { projectId, pipelineId })).sums).toMatchObject({ expected: 168, recorded: 168, balanced: true });
  const from = new Date("2026-11-01T00:00:00Z");
  expect((await listFires(world.ctx, { projectId, from })).sums).toMatchObject({ expected: 240, recorded: 240, byDefault: false });
  const to = new Date("2026-11-12T00:00:00Z");
  expect((await listFires(world.ctx, { projectId, to })).sums).toMatchObject({ from: new Date("2026-11-11T00:00:00Z"), recorded: 24 });
});

test("the rows reach back to the first, and only the first page is summed up", async () => {
  let cursor: string | undefined;
  let rows = 0;
  const sums: boolean[] = [];
  do {
    const page = await listFires(world.ctx, { projectId, limit: 100, ...(cursor ? { cursor } : {}) });
    rows += page.items.length;
    sums.push(page.sums !== null);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(rows).toBe(240);
  expect(sums).toEqual([true, false, false]);
});
