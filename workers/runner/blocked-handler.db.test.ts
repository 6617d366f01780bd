import { afterAll, beforeAll, expect, test } from "vitest";
import { makeProject } from "@/db/testing/ctx";
import { attemptsOf, makeFence, makePipeline, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { type HandlerWorker, openHandlerWorker } from "@/db/testing/workers";
import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";
import { WORKER_LEASE_MS } from "@/server/engine/workers/lease-term";

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

let ground: HandlerWorker;
beforeAll(async () => {
  ground = await openHandlerWorker(TASKS);
});
afterAll(() => ground.close());

test("a handler that blocks its event loop for longer than the lease of its worker loses nothing: it runs once (B46, IDM-3, RUN-4)", async () => {
  const { ctx } = ground;
  const service = await ground.start({ id: "w-blocked", slots: 2 });
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
