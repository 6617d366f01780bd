import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { bundleChild } from "@/db/testing/programs";
import { attemptsOf, makeFence, makePipeline, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { memoryDoorbell } from "@/server/adapters/doorbell-memory";
import { memoryLiveFeed } from "@/server/adapters/live-feed-memory";
import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";
import { WORKER_LEASE_MS } from "@/server/engine/workers/lease-term";
import { inheritedEnvironment } from "@/server/env";
import { createRunner } from "./runner";

/** Stops its event loop for as long as it is told, as a busy loop does, and leaves the processor to others. */
const TASKS = `
import { defineTask, z } from "apollo-11/sdk";
export const block = defineTask({
  name: "block",
  input: z.any(),
  output: z.any(),
  run: async (ctx, { ms }) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    return "done";
  },
});
`;

let database: TestDatabase;
let folder: string;
let child: Awaited<ReturnType<typeof bundleChild>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "blocked-"));
  await writeFile(join(folder, "tasks.mjs"), TASKS);
  [database, child] = await Promise.all([openTestDatabase(), bundleChild()]);
});
afterAll(async () => {
  await Promise.all([database.close(), child.remove(), rm(folder, { recursive: true, force: true })]);
});

test("a handler that blocks its event loop for longer than the lease of its worker loses nothing: it runs once (B46, IDM-3, RUN-4)", async () => {
  const ctx = testCtx(database.db, { ports: { ...testCtx(database.db).ports, doorbell: memoryDoorbell(), live: memoryLiveFeed() } });
  const service = createRunner({
    ctx,
    clockOffsetMs: async () => 0,
    renewPool: () => {},
    openLane: () => database.another(),
    id: "w-blocked",
    groups: ["default"],
    slots: 2,
    dataDir: folder,
    drainMs: 1_000,
    inherited: inheritedEnvironment(),
    handlers: { entry: child.entry, execArgv: [], folders: [folder], processes: 1 },
  });
  await service.start();
  try {
    const fence = await makeFence(ctx);
    const ms = WORKER_LEASE_MS + 2_000;
    const blocking = { key: "a", type: "handler" as const, with: { task: "block", input: { ms } } };
    const runId = await startRun(ctx, await makePipeline(ctx, await makeProject(ctx), [blocking]));
    const ended = async () => {
      // The leader's loop looks all the while, and finds nobody lost.
      expect((await recoverLostWorkers(ctx, fence)).count).toBe(0);
      return (await runOf(ctx, runId)).state === "SUCCESS";
    };
    await until("the run ends", ended, 30_000);
    const attempts = await attemptsOf(ctx, runId, "a");
    expect(attempts.map(({ outcome, maybeRepeated }) => [outcome, maybeRepeated])).toEqual([["succeeded", false]]);
  } finally {
    await service.stop();
  }
}, 60_000);
