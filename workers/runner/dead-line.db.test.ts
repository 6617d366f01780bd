import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "@/db/client";
import { workers } from "@/db/schema/platform";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type Line, openLine } from "@/db/testing/proxy";
import { attemptsOf, makePipeline, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { memoryDoorbell } from "@/server/adapters/doorbell-memory";
import { memoryLiveFeed } from "@/server/adapters/live-feed-memory";
import type { Ctx } from "@/server/engine/context";
import { renewableLine } from "@/server/engine/renewable-line";
import { inheritedEnvironment } from "@/server/env";
import { createRunner } from "./runner";

let database: TestDatabase;
let line: Line;
let folder: string;
let ctx: Ctx;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "line-"));
  database = await openTestDatabase();
  line = await openLine(database.url);
  ctx = testCtx(database.db);
});
afterAll(async () => {
  await line.close();
  await Promise.all([database.close(), rm(folder, { recursive: true, force: true })]);
});

test("a worker whose connections are dead, and do not say so, settles and claims by new ones (F3, RUN-7)", async () => {
  const pool = renewableLine(() => connect({ url: line.url, max: 1, applicationName: "worker-under-test" }));
  const ports = { ...ctx.ports, doorbell: memoryDoorbell(), live: memoryLiveFeed() };
  const workerCtx = Object.defineProperty(testCtx(database.db, { ports }), "db", { get: () => pool.current.db });
  await mkdir(join(folder, "handlers"));
  const service = createRunner({
    ctx: workerCtx,
    clockOffsetMs: async () => 0,
    renewPool: pool.renew,
    answerLimitMs: 1_500,
    openLane: (purpose) => (purpose === "lease" ? database.another() : connect({ url: line.url, max: 1, applicationName: "logs" })),
    id: "w-line",
    groups: ["default"],
    slots: 2,
    dataDir: folder,
    drainMs: 1_000,
    inherited: inheritedEnvironment(),
    handlers: { entry: "", execArgv: [], folders: [], processes: 0 },
  });
  await service.start();
  const [before] = await database.db.select().from(workers).where(eq(workers.id, "w-line"));
  try {
    const project = await makeProject(ctx);
    const shell = (key: string, script: string) => ({ key, type: "command" as const, with: { argv: ["sh", "-c", script] } });
    const script = `until [ -e ${folder}/go ]; do sleep 0.1; done; echo 1`;
    const held = await startRun(ctx, await makePipeline(ctx, project, [shell("a", script)]));
    await until("it runs", async () => (await attemptsOf(ctx, held, "a")).length === 1, 10_000);
    line.forget();
    await writeFile(join(folder, "go"), "");
    const next = await startRun(ctx, await makePipeline(ctx, project, [shell("b", "echo 2")]));
    for (const runId of [held, next]) await until("it ends", async () => (await runOf(ctx, runId)).state === "SUCCESS", 20_000);
    const [after] = await database.db.select().from(workers).where(eq(workers.id, "w-line"));
    expect(after?.epoch).toBe(before?.epoch);
    expect((await attemptsOf(ctx, held, "a")).map((attempt) => attempt.outcome)).toEqual(["succeeded"]);
  } finally {
    await service.stop();
    await pool.close();
  }
}, 60_000);
