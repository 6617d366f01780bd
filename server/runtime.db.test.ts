import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { withDatabase } from "@/db/testing/global-setup";
import { openLine } from "@/db/testing/proxy";
import { until } from "@/db/testing/wait";
import { allowHost } from "@/server/engine/hosts/allow-host";
import { inTime, LATE } from "@/server/engine/in-time";
import { setSecret } from "@/server/engine/secrets/set-secret";
import { parseEnv } from "@/server/env";
import { DATABASE_LIMIT_MS } from "@/workers/runner/within";
import { openRuntime, type Runtime } from "./runtime";

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "runtime-"));
  database = await openTestDatabase();
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const envOf = (more: Record<string, string> = {}) =>
  parseEnv({ DATABASE_URL: database.url, APOLLO_DATA_DIR: folder, APOLLO_LOG_LEVEL: "silent", ...more });
const use = async <T>(runtime: Runtime, work: (runtime: Runtime) => Promise<T>) => {
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
};
const clockAt = (offsetMs: number) => ({ now: () => new Date(Date.now() + offsetMs), monotonicMs: () => performance.now() });

test("a process opens with a clock that agrees, and says how far it is off", async () => {
  await use(await openRuntime({ name: "tool", env: envOf() }), async (runtime) => {
    expect(Math.abs(await runtime.clockOffsetMs())).toBeLessThan(1_000);
  });
});

test.each([3_600_000, -120_000, 2_500])("a clock that is %i ms off is refused, and the message says what to do (F13)", async (offsetMs) => {
  await expect(openRuntime({ name: "worker", env: envOf(), clock: clockAt(offsetMs) })).rejects.toThrow(
    offsetMs > 0 ? /ahead of the database's.*Set the clock/ : /behind the database's.*Set the clock/,
  );
});

test("a web process whose clock drifts while it runs says so, once, and says when it is right again (P22, F13)", async () => {
  const drift = { ms: 0 };
  const said: string[] = [];
  const quiet = () => {};
  const say = (_: object, message: string) => void said.push(message);
  const log = { debug: quiet, error: quiet, info: say, warn: say };
  const clock = { now: () => new Date(Date.now() + drift.ms), monotonicMs: () => performance.now() };
  await use(await openRuntime({ name: "web", env: envOf(), clock, clockWatchMs: 20, log }), async () => {
    said.length = 0;
    drift.ms = 3_600_000;
    await until("it is told", async () => said.some((line) => line.includes("off the database's")));
    drift.ms = 0;
    await until("it is told again", async () => said.some((line) => line.includes("agrees with the database's again")));
    expect(said).toHaveLength(2);
  });
});

test.each(["web", "scheduler", "worker"] as const)(
  "a %s process asks the database to end a transaction in which it says nothing for longer than a settle waits (F6)",
  async (name) => {
    await use(await openRuntime({ name, env: envOf() }), async ({ client }) => {
      const [row] = await client.sql`select setting::integer as ms from pg_settings where name = 'idle_in_transaction_session_timeout'`;
      expect(row?.ms).toBeGreaterThan(0);
      expect(row?.ms).toBeLessThan(DATABASE_LIMIT_MS);
    });
  },
);

test.each(["web", "scheduler"] as const)(
  "a %s process whose connections died without a word opens them anew by itself (B106)",
  async (name) => {
    const line = await openLine(database.url);
    const env = envOf({ DATABASE_URL: line.url });
    await use(await openRuntime({ name, env, lineLimitMs: 400 }), async (runtime) => {
      const ctx = runtime.systemCtx();
      await ctx.db.execute(sql`select 1`);
      line.forget();
      // A scheduler asks nothing over this pool but when it announces a change.
      ctx.ports.live.changed("a project");
      await until("it answers again", () => inTime(ctx.db.execute(sql`select 1`), 500).then((answer) => answer !== LATE), 10_000);
    });
    await line.close();
  },
  30_000,
);

test("a web process whose connections are all at work keeps them, however long its own look has to wait for one (B107)", async () => {
  await use(await openRuntime({ name: "web", env: envOf(), lineLimitMs: 800 }), async (runtime) => {
    const { client } = runtime;
    await Promise.all(Array.from({ length: 6 }, () => client.sql`select pg_sleep(2.5)`));
    expect(runtime.client).toBe(client);
  });
});

test("a database that was never migrated is refused with what to do", async () => {
  const admin = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} });
  const name = `empty_${process.pid}`;
  await admin.unsafe(`create database ${name}`);
  const env = envOf({ DATABASE_URL: withDatabase(inject("postgresUrl"), name) });
  await expect(openRuntime({ name: "web", env })).rejects.toThrow(/not been migrated/);
  await admin.unsafe(`drop database ${name} with (force)`);
  await admin.end();
});

test("a process without a database says how to get one", async () => {
  await expect(openRuntime({ name: "web", env: envOf({ DATABASE_URL: "" }) })).rejects.toThrow(/npm start/);
});

test("a ring, a change and a secret get from one process to another (OBS-5, SEC-1)", async () => {
  const [worker, web] = [
    await openRuntime({ name: "worker", listeners: 1, env: envOf() }),
    await openRuntime({ name: "web", env: envOf() }),
  ];
  const heard: string[] = [];
  await worker.ports.doorbell.listen(["default"], async (group) => void heard.push(group));
  await worker.ports.live.subscribe((id) => heard.push(id));
  await web.ports.doorbell.ring(["default"]);
  web.ports.live.changed("project-1");
  await until("both are heard", async () => heard.includes("default") && heard.includes("project-1"));
  const place = { projectId: "p", name: "n", version: 1 };
  expect(worker.ports.vault.open(place, web.ports.vault.seal(place, "value"))).toBe("value");
  await Promise.all([worker.close(), web.close()]);
});

test("our own database, queue and console stay refused although an administrator opens them (SEC-2)", async () => {
  const ctx = testCtx(database.db);
  const project = await makeProject(ctx);
  const port = Number(new URL(database.url).port);
  await use(await openRuntime({ name: "worker", env: envOf({ REDIS_URL: "redis://127.0.0.1:6399", PORT: "3999" }) }), async (runtime) => {
    for (const own of [port, 6399, 3999]) {
      await allowHost(ctx, { projectId: project.id, host: "127.0.0.1", port: own, reason: "test" });
      const signal = new AbortController().signal;
      const sent = { projectId: project.id, method: "GET", headers: {}, body: null, timeoutMs: 1_000, maxBytes: 10, signal };
      await expect(runtime.ports.http.send({ ...sent, url: `http://127.0.0.1:${own}/` })).rejects.toThrow(/Apollo-11 itself/);
    }
  });
});

test("with sealed secrets and another key file no process starts (SEC-1)", async () => {
  await use(await openRuntime({ name: "tool", env: envOf() }), async (runtime) => {
    const ctx = runtime.systemCtx();
    const project = await makeProject(testCtx(database.db));
    await setSecret(ctx, { projectId: project.id, name: "one", value: "value" });
  });
  await expect(openRuntime({ name: "web", env: envOf({ APOLLO_SECRET_KEY_FILE: join(folder, "other.key") }) })).rejects.toThrow(
    /is missing/,
  );
});
