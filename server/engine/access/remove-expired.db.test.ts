import { afterAll, beforeAll, expect, test } from "vitest";
import { makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { takeLease } from "@/db/testing/schedules";
import { removeExpired } from "./remove-expired";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test("what is over is removed in bounded batches, and what still holds stays (AUD-1, STO-1)", async () => {
  const ctx = testCtx(database.db);
  const project = await makeProject(ctx);
  const { id: userId } = await makeUser(ctx, project, "viewer");
  await database.sql`insert into sessions (id, token, user_id, expires_at, created_at, updated_at)
    select name, name, ${userId}, now() + expires::interval, now() - '13 hours'::interval * (name = 'old')::integer, now() - idle::interval
    from (values ('live', '1 hour', '1 minute'), ('idle', '1 hour', '31 minutes'), ('old', '1 hour', '0'), ('ended', '-1 second', '0'))
      as each(name, expires, idle)`;
  await database.sql`insert into one_time_links (hash, purpose, expires_at, used_at)
    select name, 'first-admin', now() + expires::interval, now() - used::interval
    from (values ('waiting', '10 minutes', null), ('used', '10 minutes', '2 days'), ('late', '-2 days', null), ('just', '-1 minute', null)) as each(name, expires, used)`;
  await database.sql`insert into run_requests (project_id, key, request_hash, run_id, created_at)
    select ${project.id}, 'key-' || n, 'hash', ${ctx.ids.uuid()}::uuid, now() - n * interval '10 days' from generate_series(1, 7) as n`;
  const fence = await takeLease(database);
  const counts: number[] = [];
  for (let more = true; more; ) {
    const report = await removeExpired(ctx, fence, { limit: 2 });
    counts.push(report.count);
    more = report.more;
  }
  expect(counts).toEqual([6, 3, 1]);
  const names = async (column: string, table: string) =>
    (await database.sql`select ${database.sql(column)} as name from ${database.sql(table)} order by 1`).map(({ name }) => name);
  expect(await names("id", "sessions")).toEqual(["live"]);
  expect(await names("hash", "one_time_links")).toEqual(["just", "waiting"]);
  expect(await names("key", "run_requests")).toEqual(["key-1", "key-2"]);
  await expect(removeExpired(ctx, { ...fence, epoch: fence.epoch - 1 })).rejects.toThrow("is over");
});
