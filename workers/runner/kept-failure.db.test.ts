import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { errorEvents } from "@/db/schema/runs";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { bundleWorker } from "@/db/testing/programs";
import { type Line, openLine } from "@/db/testing/proxy";
import { attemptsOf, makeFence, makePipeline, nodesByKey, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import type { Ctx } from "@/server/engine/context";
import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";
import { listWorkers } from "@/server/engine/workers/list-workers";
import { inheritedEnvironment } from "@/server/env";

let database: TestDatabase;
let ctx: Ctx;
let folder: string;
let line: Line;
let program: Awaited<ReturnType<typeof bundleWorker>>;
const started: ChildProcess[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kept-"));
  [database, program] = await Promise.all([openTestDatabase(), bundleWorker()]);
  ctx = testCtx(database.db);
  line = await openLine(database.url);
});
afterAll(async () => {
  for (const child of started) child.kill("SIGKILL");
  await line.close();
  await Promise.all([database.close(), program.remove(), rm(folder, { recursive: true, force: true })]);
});

async function begin(): Promise<ChildProcess> {
  const own = { DATABASE_URL: line.url, APOLLO_DATA_DIR: folder, APOLLO_WORKER_ID: "w", APOLLO_LOG_LEVEL: "silent" };
  const env = { ...inheritedEnvironment(), ...own } as unknown as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, [program.entry], { env, stdio: "ignore" });
  started.push(child);
  await until(
    "the worker lives",
    async () => (await listWorkers(ctx)).workers.some(({ pid, isLive }) => pid === child.pid && isLive),
    30_000,
  );
  return child;
}

test("a failure whose worker is killed outright between keeping and sending it is told by its next start, and stored once (EXC-3, P11)", async () => {
  const first = await begin();
  const script = `touch ${folder}/begun; until [ -e ${folder}/go ]; do sleep 0.1; done; echo no stock >&2; exit 3`;
  const runId = await startRun(
    ctx,
    await makePipeline(ctx, await makeProject(ctx), [
      { key: "a", type: "command", retry: { policy: "none" }, with: { argv: ["sh", "-c", script] } },
    ]),
  );
  await until(
    "it runs",
    () =>
      readFile(join(folder, "begun")).then(
        () => true,
        () => false,
      ),
    20_000,
  );
  await line.set("silent");
  await writeFile(join(folder, "go"), "");
  const buffer = join(folder, "workers", "w", "failures.jsonl");
  await until("the failure is kept", async () => (await readFile(buffer, "utf8").catch(() => "")).includes("no stock"));
  first.kill("SIGKILL");
  expect(await ctx.db.$count(errorEvents, eq(errorEvents.runId, runId))).toBe(0);

  await line.set("open");
  const second = await begin();
  await until("it is told", async () => (await nodesByKey(ctx, runId)).get("a")?.state === "FAILED", 20_000);
  const stored = () => ctx.db.select().from(errorEvents).where(eq(errorEvents.runId, runId));
  expect(await stored()).toMatchObject([{ code: "TEST_COMMAND_EXIT_3", message: expect.stringContaining("no stock"), workerId: "w" }]);
  await until("the buffer is empty", async () => (await readFile(buffer, "utf8")) === "");

  second.kill("SIGKILL");
  await begin();
  await recoverLostWorkers(ctx, await makeFence(ctx));
  expect(await stored()).toHaveLength(1);
  expect((await attemptsOf(ctx, runId, "a")).map(({ outcome }) => outcome)).toEqual(["failed"]);
}, 120_000);
