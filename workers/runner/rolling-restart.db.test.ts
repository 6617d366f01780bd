import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { and, eq, inArray } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { attempts, nodeRuns } from "@/db/schema/runs";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { bundleWorker } from "@/db/testing/programs";
import { makePipeline, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import type { Ctx } from "@/server/engine/context";
import { listWorkers } from "@/server/engine/workers/list-workers";
import { inheritedEnvironment } from "@/server/env";

let database: TestDatabase;
let ctx: Ctx;
let folder: string;
let program: Awaited<ReturnType<typeof bundleWorker>>;
const started: ChildProcess[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rolling-"));
  [database, program] = await Promise.all([openTestDatabase(), bundleWorker()]);
  ctx = testCtx(database.db);
});
afterAll(async () => {
  for (const child of started) child.kill("SIGKILL");
  await Promise.all([database.close(), program.remove(), rm(folder, { recursive: true, force: true })]);
});

/** A worker of this name, ready; it is let to drain for two seconds. */
async function begin(id: string): Promise<ChildProcess> {
  const own = { DATABASE_URL: database.url, APOLLO_DATA_DIR: folder, APOLLO_WORKER_ID: id, APOLLO_LOG_LEVEL: "silent" };
  const env = { ...inheritedEnvironment(), ...own, APOLLO_DRAIN_SECONDS: "2", APOLLO_WORKER_SLOTS: "4" } as unknown as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, [program.entry], { env, stdio: "ignore" });
  started.push(child);
  await until(
    `${id} takes nodes`,
    async () => (await listWorkers(ctx)).workers.some((worker) => worker.id === id && worker.pid === child.pid && worker.isLive),
    30_000,
  );
  return child;
}

async function end(child: ChildProcess): Promise<number | null> {
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  return exited;
}

test("a rolling restart of two workers under load loses no node, repeats none and charges no attempt (WRK-4, F8)", async () => {
  const effects = join(folder, "effects");
  /** What it does counts at its end, so that what is handed back halfway has done nothing. */
  const work = (key: string, needs: string[], seconds: number) => ({
    key,
    type: "command" as const,
    needs,
    retry: { policy: "none" as const },
    with: { argv: ["sh", "-c", `sleep ${seconds} && echo $APOLLO_EXECUTION_ID >> ${effects}`] },
  });
  const chain = [work("a", [], 0.3), work("b", ["a"], 0.3), work("long", ["b"], 6), work("c", ["long"], 0.1)];
  const pipeline = await makePipeline(ctx, await makeProject(ctx), chain);
  const workers = [await begin("w1"), await begin("w2")];
  const runIds: string[] = [];
  for (let n = 0; n < 6; n++) runIds.push(await startRun(ctx, pipeline));
  const isLongRunning = async () => {
    const rows = await ctx.db
      .select({ workerId: nodeRuns.workerId })
      .from(nodeRuns)
      .where(and(inArray(nodeRuns.runId, runIds), eq(nodeRuns.key, "long"), eq(nodeRuns.state, "RUNNING")));
    return new Set(rows.map(({ workerId }) => workerId)).size === 2;
  };
  await until("both are in the middle of it", isLongRunning, 30_000);
  for (const [index, worker] of workers.entries()) {
    expect(await end(worker)).toBe(0);
    await begin(`w${index + 1}`);
  }
  for (const runId of runIds) await until("the run ends", async () => (await runOf(ctx, runId)).state === "SUCCESS", 60_000);

  const tried = await ctx.db.select().from(attempts).where(inArray(attempts.runId, runIds));
  const handedBack = tried.filter(({ outcome }) => outcome === "handed_back");
  expect(handedBack.length).toBeGreaterThan(0);
  expect(tried.filter(({ outcome }) => outcome !== "succeeded" && outcome !== "handed_back")).toEqual([]);
  const nodes = await ctx.db.select().from(nodeRuns).where(inArray(nodeRuns.runId, runIds));
  expect(nodes.map(({ state, attempts: charged }) => `${state} ${charged}`)).toEqual(nodes.map(() => "SUCCESS 1"));
  const done = (await readFile(effects, "utf8")).trim().split("\n");
  expect(done.sort()).toEqual(nodes.map(({ executionId }) => executionId).sort());
}, 180_000);
