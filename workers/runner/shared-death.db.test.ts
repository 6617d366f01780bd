import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { logChunks } from "@/db/schema/runs";
import { makeProject } from "@/db/testing/ctx";
import { attemptsOf, makePipeline, nodesByKey, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { type HandlerWorker, openHandlerWorker } from "@/db/testing/workers";

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

let ground: HandlerWorker;
beforeAll(async () => {
  ground = await openHandlerWorker(TASKS);
});
afterAll(() => ground.close());

test("an attempt whose process died under it by another's fault is not charged, and what repeats it is marked (P5, F19, IDM-4)", async () => {
  const { ctx, folder } = ground;
  const service = await ground.start({ id: "w-shared" });
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
    const lines = (await ctx.db.select().from(logChunks)).flatMap((chunk) => chunk.lines.map((line) => line.text));
    expect(lines).toContainEqual(expect.stringContaining("what it did may be repeated"));
  } finally {
    await service.stop();
  }
});
