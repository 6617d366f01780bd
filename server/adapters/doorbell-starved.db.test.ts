import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { until } from "@/db/testing/wait";
import { openBullDoorbell } from "./doorbell-bullmq";

let database: TestDatabase;
const role = `bell_${process.pid}`;
const quiet = () => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

beforeAll(async () => {
  database = await openTestDatabase();
  await database.sql.unsafe(`create role ${role} login password 'x'`);
  await database.sql.unsafe(`do $$ begin execute format('grant all on database %I to ${role}', current_database()); end $$`);
});
afterAll(async () => {
  await database.sql.unsafe(`reassign owned by ${role} to current_user; drop owned by ${role}; drop role ${role}`);
  await database.close();
});

const allow = async (connections: number) => {
  await database.sql.unsafe(`alter role ${role} connection limit ${connections}`);
  if (connections === 0) await database.sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`;
};
const open = () => {
  const url = new URL(database.url);
  url.username = role;
  url.password = "x";
  return openBullDoorbell({ redisUrl: undefined, databaseUrl: url.toString(), listeners: 1, log });
};

test("an ear that finds no connection leaves its process alive, and hears as soon as there is one (B106)", async () => {
  const bell = await open();
  await allow(0);
  let rings = 0;
  const listening = await bell.listen(["default"], async () => void rings++);
  await bell.ring(["default"]);
  let turns = 0;
  const turning = setInterval(() => turns++, 10);
  await until("the process turns", async () => turns >= 50, 5_000);
  clearInterval(turning);
  await allow(-1);
  await until(
    "a ring is heard",
    async () => {
      if (rings === 0) await bell.ring(["default"]);
      return rings > 0;
    },
    20_000,
  );
  await listening.close();
  await bell.close();
  expect(rings).toBeGreaterThan(0);
}, 60_000);

test("one that loses its connections asks for new ones at its leisure (B106)", async () => {
  const bell = await open();
  let rings = 0;
  const listening = await bell.listen(["default"], async () => void rings++);
  await bell.ring(["default"]);
  await until("a ring is heard", async () => rings > 0);
  await allow(0);
  const [before] = await database.sql`select sessions from pg_stat_database where datname = current_database()`;
  let turns = 0;
  const turning = setInterval(() => turns++, 10);
  await until("it is without for a while", async () => turns >= 300, 10_000);
  clearInterval(turning);
  const [after] = await database.sql`select sessions from pg_stat_database where datname = current_database()`;
  expect(Number(after?.sessions) - Number(before?.sessions)).toBeLessThan(50);
  await allow(-1);
  rings = 0;
  await until(
    "a ring is heard again",
    async () => {
      if (rings === 0) await bell.ring(["default"]);
      return rings > 0;
    },
    20_000,
  );
  await listening.close();
  await bell.close();
}, 60_000);
