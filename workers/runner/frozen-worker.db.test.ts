import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { bundleWorker } from "@/db/testing/programs";
import { attemptsOf, eventsOf, executionOf, makeFence, makePipeline, nodesByKey, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import type { Ctx } from "@/server/engine/context";
import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";
import { listWorkers } from "@/server/engine/workers/list-workers";
import { inheritedEnvironment } from "@/server/env";

let database: TestDatabase;
let ctx: Ctx;
let folder: string;
let program: Awaited<ReturnType<typeof bundleWorker>>;
const started: ChildProcess[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "frozen-"));
  [database, program] = await Promise.all([openTestDatabase(), bundleWorker()]);
  ctx = testCtx(database.db);
});
afterAll(async () => {
  for (const child of started) child.kill("SIGKILL");
  await Promise.all([database.close(), program.remove(), rm(folder, { recursive: true, force: true })]);
});

const startWorker = (id: string): ChildProcess => {
  const own = { DATABASE_URL: database.url, APOLLO_DATA_DIR: folder, APOLLO_WORKER_ID: id, APOLLO_LOG_LEVEL: "silent" };
  const env = { ...inheritedEnvironment(), ...own } as unknown as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, [program.entry], { env, stdio: "ignore" });
  started.push(child);
  return child;
};
const isLive = (id: string) =>
  until(`${id} is live`, async () => (await listWorkers(ctx)).workers.some((worker) => worker.id === id && worker.isLive), 30_000);

test("the result of a worker that was frozen in the middle of a node for longer than its lease is recorded as an event, never applied (IDM-2, B51, B59, F6)", async () => {
  const frozen = startWorker("frozen");
  await isLive("frozen");
  const waits = `touch ${folder}/begun.$APOLLO_TOKEN; until [ -e ${folder}/go ]; do sleep 0.1; done; echo "{\\"by\\": $APOLLO_TOKEN}"`;
  const runId = await startRun(
    ctx,
    await makePipeline(ctx, await makeProject(ctx), [
      { key: "a", type: "command", with: { argv: ["sh", "-c", waits] } },
      { key: "b", type: "command", needs: ["a"], with: { argv: ["echo", "{{ nodes.a.output.by }}"] } },
    ]),
  );
  await until("the node runs", async () => existsSync(join(folder, "begun.1")), 20_000);
  frozen.kill("SIGSTOP");
  // Its command runs on, and ends while nobody of its own is there to hear it.
  await writeFile(join(folder, "go"), "");
  startWorker("other");
  const fence = await makeFence(ctx);
  await until(
    "the other one ends the run",
    async () => {
      await recoverLostWorkers(ctx, fence);
      return (await runOf(ctx, runId)).state === "SUCCESS";
    },
    60_000,
  );
  const before = await nodesByKey(ctx, runId);
  frozen.kill("SIGCONT");
  const late = await until(
    "the late result",
    async () => (await eventsOf(ctx, runId)).find(({ event }) => event.startsWith("late.")),
    20_000,
  );
  expect(late).toMatchObject({ event: "late.succeeded", nodeKey: "a", from: "SUCCESS", to: null, data: { token: 1, output: { by: 1 } } });
  expect(await nodesByKey(ctx, runId)).toEqual(before);
  expect((await attemptsOf(ctx, runId, "a")).map(({ outcome, workerId }) => [outcome, workerId])).toEqual([
    ["lost", "frozen"],
    ["succeeded", "other"],
  ]);
  expect((await executionOf(ctx, before.get("a")?.executionId ?? "")).result).toEqual({ by: 3 });
  await isLive("frozen");
}, 120_000);
