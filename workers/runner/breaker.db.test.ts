import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { workerBreakers } from "@/db/schema/breakers";
import { platformEvents, workers } from "@/db/schema/platform";
import { errorEvents } from "@/db/schema/runs";
import { makeProject } from "@/db/testing/ctx";
import { node } from "@/db/testing/plans";
import { makeFence, makePipeline, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { type HandlerWorker, openHandlerWorker } from "@/db/testing/workers";
import { watchBreakers } from "@/server/engine/breaker/watch-breakers";

const TASKS = `
import { defineTask, z } from "apollo-11/sdk";
export const fails = defineTask({ name: "fails", input: z.any(), output: z.any(), run: (ctx) => { throw ctx.error("DOWN", 503, "down", { retryable: false }); } });
export const works = defineTask({ name: "works", input: z.any(), output: z.any(), run: () => "done" });
`;
const ID = "w-breaker";

let ground: HandlerWorker;
beforeAll(async () => {
  ground = await openHandlerWorker(TASKS);
});
afterAll(() => ground.close());

const call = (key: string, task: string) => node(key, [], { with: { task, input: {} } });

test("a worker on which all fails takes no node and says why; its own three probes bring it back (EXC-6, WRK-3)", async () => {
  const { ctx, database } = ground;
  const { db } = database;
  const fence = await makeFence(ctx);
  const project = await makeProject(ctx);
  const service = await ground.start({ id: ID });
  try {
    await startRun(
      ctx,
      await makePipeline(
        ctx,
        project,
        Array.from({ length: 10 }, (_, n) => call(`n${n}`, "fails")),
      ),
    );
    await until("ten have failed", async () => (await db.$count(errorEvents)) >= 10);
    const refusing = async () => (await db.select().from(workers).where(eq(workers.id, ID)))[0]?.refusing ?? null;
    const breaker = async () => (await db.select().from(workerBreakers).where(eq(workerBreakers.workerId, ID)))[0];
    await until("its breaker opens", async () => {
      await watchBreakers(ctx, fence);
      return (await breaker())?.state === "open";
    });
    await until("it says that it takes none", async () => (await refusing()) === "breaker", 15_000);
    const good = await startRun(ctx, await makePipeline(ctx, project, [call("good", "works")]));
    for (const passed of [1, 2, 3]) {
      await db.update(workerBreakers).set({ nextProbeAt: sql`clock_timestamp() - interval '1 second'` });
      await watchBreakers(ctx, fence);
      expect((await runOf(ctx, good)).state).not.toBe("SUCCESS");
      const isBack = async () => (await breaker())?.state === "closed";
      await until(`probe ${passed} is answered`, async () => ((await breaker())?.successes === passed ? true : isBack()), 15_000);
    }
    await until("what waited is done", async () => (await runOf(ctx, good)).state === "SUCCESS", 15_000);
    await until("it says that it takes nodes", async () => (await refusing()) === null, 15_000);
    const events = await db.select().from(platformEvents).where(eq(platformEvents.code, "APOLLO_BREAKER_PROBE_PASSED_200"));
    expect(events.map(({ data }) => data.lastProbe)).toMatchObject([{ ok: true, note: expect.stringContaining("8388608 bytes") }, {}, {}]);
  } finally {
    await service.stop();
  }
}, 90_000);
