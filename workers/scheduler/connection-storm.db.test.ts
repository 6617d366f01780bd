import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startScratchPostgres } from "@/db/embedded";
import * as schema from "@/db/schema";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { bundleEngine } from "@/db/testing/programs";
import { makePipeline, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import type { Ctx } from "@/server/engine/context";
import { LEASE_TIMING } from "@/server/engine/leadership/lease-timing";
import { inheritedEnvironment } from "@/server/env";

let server: Awaited<ReturnType<typeof startScratchPostgres>>;
let programs: Awaited<ReturnType<typeof bundleEngine>>;
let folder: string;
let admin: postgres.Sql;
let locker: postgres.Sql;
const alive = new Set<ChildProcess>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "storm-"));
  [server, programs] = await Promise.all([
    startScratchPostgres({ fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "50" }),
    bundleEngine(),
  ]);
  // Opened before the storm, and kept.
  [admin, locker] = [1, 2].map(() => postgres(server.url, { max: 1, max_lifetime: null, onnotice: () => {} })) as [
    postgres.Sql,
    postgres.Sql,
  ];
  await locker`select 1`;
  await migrate(drizzle(admin), { migrationsFolder: "db/migrations" });
}, 120_000);
afterAll(async () => {
  for (const child of alive) child.kill("SIGKILL");
  await Promise.all([admin.end(), locker.end()]);
  await Promise.all([server.stop(), programs.remove(), rm(folder, { recursive: true, force: true })]);
});

let ends = 0;
const logOf = new Map<ChildProcess, string>();
const said = () => [...logOf.values()].join("");

function start(entry: string, more: Record<string, string> = {}): void {
  const env = { ...inheritedEnvironment(), DATABASE_URL: server.url, APOLLO_DATA_DIR: folder, APOLLO_LOG_LEVEL: "warn", ...more };
  const child = spawn(process.execPath, [entry], { env: env as unknown as NodeJS.ProcessEnv, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => logOf.set(child, ((logOf.get(child) ?? "") + chunk.toString()).slice(-4_000)));
  }
  alive.add(child);
  child.once("exit", (code) => {
    alive.delete(child);
    if (code !== null) ends++;
  });
}

let workers = 0;
function startAll(schedulerCount: number, workerCount: number): void {
  workers = workerCount;
  for (let n = 1; n <= schedulerCount; n++) start(programs.scheduler);
  for (let n = 1; n <= workerCount; n++) start(programs.worker, { APOLLO_WORKER_ID: `w${n}`, APOLLO_WORKER_SLOTS: "8" });
}

interface Leases {
  readonly epoch: number | null;
  readonly workers: readonly string[];
}
const leases = async (): Promise<Leases> => {
  const [row] = await admin<Leases[]>`
    select (select epoch from leases where expires_at > clock_timestamp()) as epoch,
      coalesce((select array_agg(id || '/' || boot_id::text order by id) from workers where expires_at > clock_timestamp()), '{}') as workers`;
  return row ?? { epoch: null, workers: [] };
};
/** Everybody is there, and none of them is one from before. */
const allReady = (before: Leases = { epoch: 0, workers: [] }) =>
  until(
    "a leader and every worker",
    async () => {
      const now = await leases();
      const isNew = now.epoch !== before.epoch && !now.workers.some((worker) => before.workers.includes(worker));
      return now.epoch !== null && now.workers.length === workers && isNew ? now : null;
    },
    60_000,
  );

/** Looks for as long as `work` takes, and longer than two leases, whether anybody loses one. */
async function nobodyLoses(before: Leases, work: () => Promise<unknown>): Promise<void> {
  const untilMs = performance.now() + 2 * LEASE_TIMING.ttlMs + 1_000;
  const done = work();
  await until(
    "two leases",
    async () => {
      expect(await leases(), said()).toEqual(before);
      return performance.now() > untilMs;
    },
    60_000,
  );
  await done;
}

/** Takes every connection that is left, until it is closed. */
async function takeAll(): Promise<{ taken: number; close(): Promise<void> }> {
  const greedy: postgres.Sql[] = [];
  for (;;) {
    const one = postgres(server.url, { max: 1, onnotice: () => {}, backoff: () => 0 });
    const got = await one`select 1`.then(
      () => true,
      () => false,
    );
    if (!got) {
      await one.end({ timeout: 0 });
      return { taken: greedy.length, close: async () => void (await Promise.all(greedy.map((each) => each.end({ timeout: 0 })))) };
    }
    greedy.push(one);
  }
}

test("ten processes at once against fifty connections are ready in time, twice, and no lease is lost while others hold the rest (B106, F28)", async () => {
  startAll(3, 7);
  const before = await allReady();
  expect(before.epoch).toBe(1);
  const greedy = await takeAll();
  await nobodyLoses(before, async () => {});
  await greedy.close();
  for (const child of alive) child.kill("SIGKILL");
  await until("all are gone", async () => alive.size === 0);
  expect(ends, "no process ended by itself").toBe(0);
  startAll(3, 7);
  const again = await allReady(before);
  expect(again.epoch).toBe(2);
}, 180_000);

test("with 200 nodes ready and every pool hanging on a lock, leader and workers keep their leases, and all nodes run (B107)", async () => {
  const ctx = testCtx(drizzle(admin, { schema }) as Ctx["db"]);
  for (const child of alive) child.kill("SIGKILL");
  const last = await leases();
  startAll(2, 3);
  const before = await allReady(last);
  const pipeline = await makePipeline(
    ctx,
    await makeProject(ctx),
    Array.from({ length: 50 }, (_, n) => ({ key: `n${n}`, type: "command" as const, with: { argv: ["true"] } })),
  );
  const runIds: string[] = [];
  await nobodyLoses(before, async () => {
    for (let n = 0; n < 4; n++) runIds.push(await startRun(ctx, pipeline));
    await locker.begin(async (tx) => {
      await tx`lock table node_runs in access exclusive mode`;
      await tx`select pg_sleep(13)`;
    });
  });
  for (const runId of runIds) await until("the run ends", async () => (await runOf(ctx, runId)).state === "SUCCESS", 60_000);
  expect(await leases()).toEqual(before);
}, 180_000);
