import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeProject } from "@/db/testing/ctx";
import { attemptsOf, eventsOf, executionOf, makeFence, makePipeline, nodesByKey, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { openWorkerProcesses, type WorkerProcesses } from "@/db/testing/workers";
import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";

let ground: WorkerProcesses;
beforeAll(async () => {
  ground = await openWorkerProcesses();
});
afterAll(() => ground.close());

test("the result of a worker that was frozen in the middle of a node for longer than its lease is recorded as an event, never applied (IDM-2, B51, B59, F6)", async () => {
  const { ctx, folder } = ground;
  const frozen = await ground.begin("frozen");
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
  await ground.begin("other");
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
  await ground.isLive("frozen");
}, 120_000);
