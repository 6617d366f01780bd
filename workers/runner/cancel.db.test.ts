import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { bundleWorker } from "@/db/testing/programs";
import { attemptsOf, eventsOf, makeFence, makePipeline, makeWorker, nodesByKey, runOf, startRun, statesOf } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import type { WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { cancelRun } from "@/server/engine/runs/cancel-run";
import { claimReady } from "@/server/engine/runs/claim";
import { queueDueRetries } from "@/server/engine/runs/queue-due-retries";
import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";
import { listWorkers } from "@/server/engine/workers/list-workers";
import { inheritedEnvironment } from "@/server/env";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
let folder: string;
let program: Awaited<ReturnType<typeof bundleWorker>>;
let worker: ChildProcess;
const started: ChildProcess[] = [];
const GONE_WITHIN_MS = 10_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cancel-"));
  [database, program] = await Promise.all([openTestDatabase(), bundleWorker()]);
  ctx = testCtx(database.db);
  project = await makeProject(ctx);
  worker = await begin();
});
afterAll(async () => {
  for (const child of started) child.kill("SIGKILL");
  await Promise.all([database.close(), program.remove(), rm(folder, { recursive: true, force: true })]);
});

async function begin(): Promise<ChildProcess> {
  const own = { DATABASE_URL: database.url, APOLLO_DATA_DIR: folder, APOLLO_WORKER_ID: "w", APOLLO_LOG_LEVEL: "silent" };
  const env = { ...inheritedEnvironment(), ...own, APOLLO_WORKER_SLOTS: "8" } as unknown as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, [program.entry], { env, stdio: "ignore" });
  started.push(child);
  await until(
    "the worker lives",
    async () => (await listWorkers(ctx)).workers.some(({ pid, isLive }) => pid === child.pid && isLive),
    30_000,
  );
  return child;
}

/** Ignores SIGTERM, and leaves a daemon that does too. */
const stubborn = (name: string) =>
  `trap "" TERM; setsid sh -c 'trap "" TERM; echo $$ > ${folder}/${name}.daemon; while :; do sleep 1; done' & echo $$ > ${folder}/${name}.pid; while :; do sleep 1; done`;
const shell = (key: string, script: string, more: object = {}) => ({
  key,
  type: "command" as const,
  with: { argv: ["sh", "-c", script] },
  ...more,
});
const pidsOf = (name: string) =>
  until(
    "both run",
    async () => {
      const pids = await Promise.all(["pid", "daemon"].map((of) => readFile(join(folder, `${name}.${of}`), "utf8").catch(() => "")));
      return pids.every((pid) => pid.endsWith("\n")) && pids.map(Number);
    },
    20_000,
  );
const isDead = async (pid: number) => (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")) === "";
const allDead = (pids: readonly number[]) =>
  until("all are dead", async () => (await Promise.all(pids.map(isDead))).every(Boolean), GONE_WITHIN_MS);

/** Nothing of the run was taken after the cancel's commit. */
async function nothingStartedAfter(runId: string): Promise<void> {
  const events = await eventsOf(ctx, runId);
  const at = events.findIndex(({ event }) => event === "run.cancelRequested");
  expect(at).toBeGreaterThanOrEqual(0);
  expect(events.slice(at).filter(({ to }) => to === "RUNNING" || to === "QUEUED")).toEqual([]);
}

test("a cancel while nodes are being dispatched: none is taken after its commit, in any of 60 races with claims (P8, F21)", async () => {
  const group = "raced";
  const claimers = await Promise.all([1, 2, 3].map(() => makeWorker(ctx, [group])));
  const nodes = Array.from({ length: 9 }, (_, n) => shell(`n${n}`, "true", { group }));
  const pipeline = await makePipeline(ctx, project, nodes);
  let taken = 0;
  for (let round = 0; round < 60; round++) {
    const runId = await startRun(ctx, pipeline);
    const claims = claimers.map((claimer) => claimReady(ctx, { worker: claimer, groups: [group], limit: 3 }));
    await cancelRun(ctx, { runId, reason: "test" });
    taken += (await Promise.all(claims)).flat().length;
    expect(await claimReady(ctx, { worker: claimers[0] as WorkerLease, groups: [group], limit: 9 })).toEqual([]);
    expect(new Set(Object.values(await statesOf(ctx, runId)))).toEqual(new Set(["CANCELED"]));
    await nothingStartedAfter(runId);
  }
  expect(taken, "some claims came first").toBeGreaterThan(0);
}, 60_000);

test("a cancel of what runs, without any leader: process, group and daemon are gone within ten seconds (P8, F21, B64)", async () => {
  const runId = await startRun(
    ctx,
    await makePipeline(ctx, project, [shell("a", stubborn("running")), shell("b", "true", { needs: ["a"] })]),
  );
  const pids = await pidsOf("running");
  await cancelRun(ctx, { runId, reason: "test" });
  await allDead(pids);
  expect(await statesOf(ctx, runId)).toEqual({ a: "CANCELED", b: "CANCELED" });
  await nothingStartedAfter(runId);
}, 60_000);

test("a cancel while a node waits for its retry: it is not tried again when that is due (P8, F21, B67)", async () => {
  const retry = { retry: { retries: 3, delays: ["1s"], jitter: [0, 0] as [number, number] } };
  const runId = await startRun(ctx, await makePipeline(ctx, project, [shell("a", "exit 1", retry)]));
  await until("it waits", async () => (await statesOf(ctx, runId)).a === "RETRYING", 20_000);
  await cancelRun(ctx, { runId, reason: "test" });
  await database.sql`update node_runs set due_at = clock_timestamp() - interval '1 second' where run_id = ${runId}`;
  await queueDueRetries(ctx, await makeFence(ctx));
  expect(await statesOf(ctx, runId)).toEqual({ a: "CANCELED" });
  expect(await attemptsOf(ctx, runId, "a")).toHaveLength(1);
  await nothingStartedAfter(runId);
}, 60_000);

test("a cancel while its worker dies: the processes go, and no sweep brings the node back (P8, F21, B67)", async () => {
  const runId = await startRun(
    ctx,
    await makePipeline(ctx, project, [shell("a", stubborn("dying")), shell("b", "true", { needs: ["a"] })]),
  );
  const pids = await pidsOf("dying");
  const dying = worker;
  await Promise.all([cancelRun(ctx, { runId, reason: "test" }), Promise.resolve().then(() => dying.kill("SIGKILL"))]);
  await allDead(pids);
  worker = await begin();
  await recoverLostWorkers(ctx, await makeFence(ctx));
  expect((await runOf(ctx, runId)).state).toBe("CANCELED");
  expect((await nodesByKey(ctx, runId)).get("a")).toMatchObject({ state: "CANCELED", generation: 1 });
  expect((await attemptsOf(ctx, runId, "a")).map(({ outcome }) => outcome)).toEqual(["canceled"]);
  await nothingStartedAfter(runId);
}, 60_000);

test("a cancel of what a worker that was killed had left: it stays cancelled, though its lease still runs (P8, B67)", async () => {
  const runId = await startRun(ctx, await makePipeline(ctx, project, [shell("a", stubborn("left"))]));
  const pids = await pidsOf("left");
  worker.kill("SIGKILL");
  await cancelRun(ctx, { runId, reason: "test" });
  await allDead(pids);
  worker = await begin();
  await recoverLostWorkers(ctx, await makeFence(ctx));
  expect(await statesOf(ctx, runId)).toEqual({ a: "CANCELED" });
  await nothingStartedAfter(runId);
}, 60_000);
