import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { and, eq, inArray } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { attempts, nodeRuns } from "@/db/schema/runs";
import { makeProject } from "@/db/testing/ctx";
import { makePipeline, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { openWorkerProcesses, type WorkerProcesses } from "@/db/testing/workers";

let ground: WorkerProcesses;
beforeAll(async () => {
  ground = await openWorkerProcesses();
});
afterAll(() => ground.close());

/** A worker of this name; it is let to drain for two seconds. */
const begin = (id: string) => ground.begin(id, { APOLLO_DRAIN_SECONDS: "2", APOLLO_WORKER_SLOTS: "4" });

async function end(child: ChildProcess): Promise<number | null> {
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  return exited;
}

test("a rolling restart of two workers under load loses no node, repeats none and charges no attempt (WRK-4, F8)", async () => {
  const { ctx, folder } = ground;
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
