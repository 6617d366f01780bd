import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { logChunks } from "@/db/schema/runs";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { bundleChild } from "@/db/testing/programs";
import { attemptsOf, makePipeline, nodesByKey, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { memoryDoorbell } from "@/server/adapters/doorbell-memory";
import { memoryLiveFeed } from "@/server/adapters/live-feed-memory";
import { inheritedEnvironment } from "@/server/env";
import { createRunner } from "./runner";

/** `die` ends its process once the other has begun, in the first attempt alone. */
const TASKS = `
import { appendFileSync, existsSync } from "node:fs";
import { defineTask, z } from "apollo-11/sdk";
const task = (name, run) => defineTask({ name, input: z.any(), output: z.any(), run });
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
export const effect = task("effect", async (ctx, { file }) => {
  appendFileSync(file, ctx.executionId + "\\n");
  if (ctx.token === 1) await new Promise(() => undefined);
  return "done";
});
export const die = task("die", async (ctx, { file }) => {
  while (!existsSync(file)) await pause();
  if (ctx.token === 1) process.exit(9);
  return "alive";
});
`;

let database: TestDatabase;
let folder: string;
let child: Awaited<ReturnType<typeof bundleChild>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shared-death-"));
  await writeFile(join(folder, "tasks.mjs"), TASKS);
  [database, child] = await Promise.all([openTestDatabase(), bundleChild()]);
});
afterAll(async () => {
  await Promise.all([database.close(), child.remove(), rm(folder, { recursive: true, force: true })]);
});

test("an attempt whose process died under it by another's fault is not charged, and what repeats it is marked (P5, F19, IDM-4)", async () => {
  const ctx = testCtx(database.db, { ports: { ...testCtx(database.db).ports, doorbell: memoryDoorbell(), live: memoryLiveFeed() } });
  const service = createRunner({
    ctx,
    clockOffsetMs: async () => 0,
    renewPool: () => {},
    openLane: () => database.another(),
    id: "w-shared",
    groups: ["default"],
    slots: 4,
    dataDir: folder,
    drainMs: 1_000,
    inherited: inheritedEnvironment(),
    handlers: { entry: child.entry, execArgv: [], folders: [folder], processes: 1 },
  });
  await service.start();
  try {
    const file = join(folder, "effects.log");
    const handler = (key: string, task: string) => ({ key, type: "handler" as const, with: { task, input: { file } } });
    const pipeline = await makePipeline(ctx, await makeProject(ctx), [handler("innocent", "effect"), handler("killer", "die")]);
    const runId = await startRun(ctx, pipeline);
    await until("the run ends", async () => (await runOf(ctx, runId)).state === "SUCCESS", 20_000);
    const node = (await nodesByKey(ctx, runId)).get("innocent");
    expect(node).toMatchObject({ attempts: 1, maybeRepeated: true });
    expect(await attemptsOf(ctx, runId, "innocent")).toMatchObject([
      { outcome: "handed_back", maybeRepeated: false, response: { exitCode: 9, companions: 1 } },
      { outcome: "succeeded", maybeRepeated: true },
    ]);
    expect((await readFile(file, "utf8")).trim().split("\n")).toEqual([node?.executionId, node?.executionId]);
    const lines = (await database.db.select().from(logChunks)).flatMap((chunk) => chunk.lines.map((line) => line.text));
    expect(lines).toContainEqual(expect.stringContaining("what it did may be repeated"));
  } finally {
    await service.stop();
  }
});
