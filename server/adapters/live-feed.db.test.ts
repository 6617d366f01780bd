import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { until } from "@/db/testing/wait";
import { openLiveFeed } from "./live-feed";

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const feed = (sent: string[] = []) =>
  openLiveFeed({
    databaseUrl: database.url,
    notify: async (channel, payload) => {
      sent.push(payload);
      await database.sql`select pg_notify(${channel}, ${payload})`;
    },
    log: quiet,
  });

test("a change in one process is heard in another within a second (OBS-5)", async () => {
  const [here, there] = [feed(), feed()];
  const heard: string[] = [];
  await there.subscribe((id) => heard.push(id));
  here.changed("project-1");
  await until("the change", async () => heard.includes("project-1"), 1_000);
  await Promise.all([here.close(), there.close()]);
});

test("a burst goes out as a few messages that name each project once (OBS-5)", async () => {
  const sent: string[] = [];
  const here = feed(sent);
  for (let change = 0; change < 1_000; change++) here.changed(`project-${change % 400}`);
  await here.close();
  const ids = sent.flatMap((payload) => JSON.parse(payload) as string[]);
  expect(new Set(ids).size).toBe(400);
  expect(sent.length).toBeLessThanOrEqual(4);
  expect(Math.max(...sent.map((payload) => payload.length))).toBeLessThan(8_000);
});

test("after the connection was cut the feed hears again, and says that it missed something (OBS-5)", async () => {
  const [here, there] = [feed(), feed()];
  const heard: string[] = [];
  let gaps = 0;
  await there.subscribe(
    (id) => heard.push(id),
    () => gaps++,
  );
  await database.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'apollo-live' and datname = current_database()`;
  await until("the gap is told", async () => gaps === 1);
  here.changed("project-2");
  await until("the change", async () => heard.includes("project-2"));
  await Promise.all([here.close(), there.close()]);
});
