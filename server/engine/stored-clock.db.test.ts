import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { publishTimed } from "@/db/testing/schedules";
import { createToken } from "./access/create-token";
import { findTokenPrincipal } from "./access/principals";
import type { Ctx } from "./context";
import { toggleSchedule } from "./schedules/toggle-schedule";

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** A process whose own clock is wrong by so much; what it stores must not show it. */
function skewed(offsetMs: number): Ctx {
  const ctx = testCtx(database.db);
  return { ...ctx, clock: { now: () => new Date(Date.now() + offsetMs), monotonicMs: () => performance.now() } };
}
const often = (timezone: string) => [{ name: "often", cron: "* * * * * *", timezone, overlap: "allow" as const }];

test.each([
  ["ahead of", 1_900],
  ["behind", -1_900],
])("a web process whose clock is %s the database's accounts for no fire of the future and forgets none (B24, P22)", async (_, offsetMs) => {
  const ctx = skewed(offsetMs);
  const { id: projectId } = await makeProject(ctx);
  const { pipelineId } = await publishTimed(ctx, projectId, "orders", often("UTC"));
  await database.sql`update schedules set active_from = active_from - interval '1 minute', cursor_at = cursor_at - interval '3 seconds',
    next_fire_at = date_trunc('second', cursor_at - interval '2 seconds') where pipeline_id = ${pipelineId}`;
  const [before] = await database.sql`select cursor_at from schedules where pipeline_id = ${pipelineId}`;
  await publishTimed(ctx, projectId, "orders", often("Europe/Paris"));
  const [after] =
    await database.sql`select active_from, active_from <= clock_timestamp() as past, clock_timestamp() - active_from < interval '1 second' as fresh
    from schedules where pipeline_id = ${pipelineId}`;
  expect(after).toMatchObject({ past: true });
  const [lines] = await database.sql`select count(*)::integer as written,
      count(*) filter (where fire_at > ${after?.active_from})::integer as future,
      (floor(extract(epoch from ${after?.active_from}::timestamptz)) - floor(extract(epoch from ${before?.cursor_at}::timestamptz)))::integer as expected
    from fires where pipeline_id = ${pipelineId}`;
  expect(lines?.future).toBe(0);
  expect(lines?.written).toBe(lines?.expected);
});

test("a schedule that is switched off by a clock that is ahead keeps the fires that are still to come (B24)", async () => {
  const ctx = skewed(1_900);
  const { id: projectId } = await makeProject(ctx);
  const { pipelineId } = await publishTimed(ctx, projectId, "orders", [{ name: "yearly", cron: "0 0 1 1 *", timezone: "UTC" }]);
  const [row] = await database.sql`select id from schedules where pipeline_id = ${pipelineId}`;
  await toggleSchedule(ctx, { projectId, scheduleId: row?.id, enabled: false });
  const [off] = await database.sql`select cursor_at <= clock_timestamp() as past from schedules where pipeline_id = ${pipelineId}`;
  expect(off?.past).toBe(true);
});

test("a token is valid by the database's clock, whichever process judges it (AUD-1)", async () => {
  const { id: projectId } = await makeProject(testCtx(database.db));
  const slow = skewed(-86_400_000);
  const { token, expiresAt } = await createToken(slow, { projectId, name: "script", role: "viewer", days: 1 });
  expect(Math.abs(expiresAt.getTime() - Date.now() - 86_400_000)).toBeLessThan(60_000);
  expect(await findTokenPrincipal(skewed(2 * 86_400_000), token)).toMatchObject({ kind: "token" });
  await database.db.execute(sql`update service_tokens set expires_at = clock_timestamp() where project_id = ${projectId}`);
  expect(await findTokenPrincipal(slow, token)).toBeNull();
  const [entry] =
    await database.sql`select abs(extract(epoch from at - clock_timestamp())) < 60 as now from audit where project_id = ${projectId}`;
  expect(entry?.now).toBe(true);
});
