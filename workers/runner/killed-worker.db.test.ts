import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { bundleWorker } from "@/db/testing/programs";
import { attemptsOf, makeFence, makePipeline, nodesByKey, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import type { Ctx } from "@/server/engine/context";
import { allowHost } from "@/server/engine/hosts/allow-host";
import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";
import { listWorkers } from "@/server/engine/workers/list-workers";
import { inheritedEnvironment } from "@/server/env";
import { createDemoService } from "../demo-service/server";

let database: TestDatabase;
let ctx: Ctx;
let folder: string;
let program: Awaited<ReturnType<typeof bundleWorker>>;
const demo = createDemoService();
const started: ChildProcess[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "killed-"));
  [database, program] = await Promise.all([openTestDatabase(), bundleWorker()]);
  ctx = testCtx(database.db);
  await new Promise<void>((resolve) => {
    demo.listen(0, "127.0.0.1", resolve);
  });
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});
afterAll(async () => {
  demo.closeAllConnections();
  demo.close();
  await Promise.all([database.close(), program.remove(), rm(folder, { recursive: true, force: true })]);
});

const startWorker = () => {
  const env = {
    ...inheritedEnvironment(),
    NODE_ENV: "test" as const,
    DATABASE_URL: database.url,
    APOLLO_DATA_DIR: folder,
    APOLLO_WORKER_ID: "w1",
  };
  const child = spawn(process.execPath, [program.entry], { env: { ...env, APOLLO_LOG_LEVEL: "silent" }, stdio: "ignore" });
  started.push(child);
  return child;
};
const isLive = () =>
  until("the worker is live", async () => (await listWorkers(ctx)).workers.some((worker) => worker.id === "w1" && worker.isLive), 15_000);
const exitOf = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
const isDead = async (pid: number) => (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")) === "";

test("a worker that is killed outright takes its commands with it, is replaced at once, and the effect is counted once (RUN-7, IDM-3)", async () => {
  const project = await makeProject(ctx);
  const { port } = demo.address() as AddressInfo;
  await allowHost(ctx, { projectId: project.id, host: "127.0.0.1", port, reason: "the demo" });
  const first = startWorker();
  await isLive();
  const pidFile = join(folder, "command.pid");
  const runId = await startRun(
    ctx,
    await makePipeline(ctx, project, [
      { key: "a", type: "command", with: { argv: ["sh", "-c", `setsid sleep 30 & echo $$ $! > ${pidFile}; sleep 2; echo 1`] } },
      {
        key: "b",
        type: "http",
        needs: ["a"],
        with: { method: "POST", url: `http://127.0.0.1:${port}/effects`, body: { n: "{{ nodes.a.output }}" } },
      },
    ]),
  );
  const pids = await until("the command runs", async () => {
    const text = await readFile(pidFile, "utf8").catch(() => "");
    return text.endsWith("\n") ? text.trim().split(" ").map(Number) : null;
  });
  first.kill("SIGKILL");
  await until("command and daemon are dead", async () => (await Promise.all(pids.map(isDead))).every(Boolean), 5_000);

  const second = startWorker();
  const fence = await makeFence(ctx);
  await until(
    "the run ends",
    async () => {
      await recoverLostWorkers(ctx, fence);
      return (await runOf(ctx, runId)).state === "SUCCESS";
    },
    40_000,
  );
  expect((await attemptsOf(ctx, runId, "a")).map((attempt) => attempt.outcome)).toEqual(["lost", "succeeded"]);
  const key = (await nodesByKey(ctx, runId)).get("b")?.executionId;
  expect(await (await fetch(`http://127.0.0.1:${port}/effects?key=${key}`)).json()).toMatchObject({ effects: 1 });
  second.kill("SIGTERM");
  expect(await exitOf(second)).toBe(0);
}, 60_000);

test("a second worker of the same name refuses to start while the first one lives, and ends none of its work (WRK-1, RUN-7)", async () => {
  startWorker();
  await isLive();
  const project = await makeProject(ctx);
  const runId = await startRun(
    ctx,
    await makePipeline(ctx, project, [
      {
        key: "a",
        type: "command",
        with: { argv: ["sh", "-c", `touch ${folder}/begun; until [ -e ${folder}/go ]; do sleep 0.1; done; echo 7`] },
      },
      { key: "b", type: "command", needs: ["a"], with: { argv: ["sh", "-c", "echo '{\"n\":{{ nodes.a.output }}}' > $APOLLO_OUTPUT"] } },
    ]),
  );
  await until("the command runs", async () => existsSync(join(folder, "begun")), 10_000);
  const second = startWorker();
  expect(await exitOf(second)).toBe(1);
  expect((await listWorkers(ctx)).workers.find((worker) => worker.id === "w1")?.pid).toBe(started[0]?.pid);
  await writeFile(join(folder, "go"), "");
  await until("the run ends", async () => (await runOf(ctx, runId)).state === "SUCCESS", 15_000);
  expect((await attemptsOf(ctx, runId, "a")).map((attempt) => attempt.outcome)).toEqual(["succeeded"]);
}, 60_000);
