import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { workers } from "@/db/schema/platform";
import { makeProject, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { bundleChild } from "@/db/testing/programs";
import { attemptsOf, executionOf, makeFence, makePipeline, makeWorker, nodesByKey, runOf, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { memoryDoorbell } from "@/server/adapters/doorbell-memory";
import { guardedHttp } from "@/server/adapters/http-guarded";
import { memoryLiveFeed } from "@/server/adapters/live-feed-memory";
import { openVault } from "@/server/adapters/vault";
import type { Ctx } from "@/server/engine/context";
import { claimReady } from "@/server/engine/runs/claim";
import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";
import { setSecret } from "@/server/engine/secrets/set-secret";
import { inheritedEnvironment } from "@/server/env";
import type { Service } from "../service";
import { createRunner } from "./runner";

/** A receiver that acts at POST, and tells at GET what it knows of a key. */
const effects = new Map<string, { order: number }>();
const asked: { key: string; authorization: string | undefined }[] = [];
let ails = false;
const receiver = createServer((request, response) => {
  const key = String(request.headers["idempotency-key"]);
  const say = (status: number, body: unknown) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  if (request.method === "GET") {
    asked.push({ key, authorization: request.headers.authorization });
    const known = effects.get(key);
    if (ails) say(503, {});
    else say(known ? 200 : 404, known ?? null);
    return;
  }
  effects.set(`acted/${key}`, { order: (effects.get(`acted/${key}`)?.order ?? 0) + 1 });
  say(201, { acted: true });
});
const actedOn = (key: string) => effects.get(`acted/${key}`)?.order ?? 0;

let database: TestDatabase;
let ctx: Ctx;
let folder: string;
let base: string;
let child: Awaited<ReturnType<typeof bundleChild>>;
let project: { id: string };
let runner: Service | null = null;
const http = guardedHttp({ isOpened: async () => true, own: [] });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "check-"));
  [database, child] = await Promise.all([openTestDatabase(), bundleChild()]);
  const vault = await openVault({ keyFile: join(folder, "secret.key"), sealedKeyIds: [] });
  ctx = testCtx(database.db, { ports: { ...recordingPorts(), doorbell: memoryDoorbell(), live: memoryLiveFeed(), http, vault } });
  project = await makeProject(ctx);
  await new Promise<void>((resolve) => {
    receiver.listen(0, "127.0.0.1", resolve);
  });
  base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await runner?.stop();
  runner = null;
  ails = false;
  asked.length = 0;
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await http.close();
  await Promise.all([database.close(), child.remove(), rm(folder, { recursive: true, force: true })]);
});

/** A run whose only node was taken by a worker that then died: what became of the attempt nobody knows. */
async function beginWithLostAttempt(more: object = {}) {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const load = {
    key: "load",
    group,
    type: "http" as const,
    with: { method: "POST" as const, url: `${base}/act` },
    check: { url: `${base}/effects`, headers: { authorization: "Bearer {{ secrets.key }}" } },
    retry: { retries: 2, delays: ["10ms"] },
    ...more,
  };
  const runId = await startRun(ctx, await makePipeline(ctx, project, [load]));
  const dead = await makeWorker(ctx, [group]);
  expect(await claimReady(ctx, { worker: dead, groups: [group], limit: 1 })).toHaveLength(1);
  await ctx.db.update(workers).set({ expiresAt: sql`clock_timestamp() - interval '1 second'` }).where(eq(workers.id, dead.id));
  await recoverLostWorkers(ctx, await makeFence(ctx));
  const executionId = (await nodesByKey(ctx, runId)).get("load")?.executionId ?? "";
  return { runId, group, executionId };
}

async function start(group: string): Promise<void> {
  runner = createRunner({
    ctx,
    clockOffsetMs: async () => 0,
    renewPool: () => {},
    openLane: () => database.another(),
    id: `checker-${group}`,
    groups: [group],
    slots: 2,
    dataDir: folder,
    drainMs: 5_000,
    inherited: inheritedEnvironment(),
    handlers: { entry: child.entry, execArgv: [], folders: [], processes: 1 },
  });
  await runner.start();
}
const ended = (runId: string) =>
  until("the run has ended", async () => ["SUCCESS", "FAILED", "PAUSED"].includes((await runOf(ctx, runId)).state), 20_000);

it("takes the effect that the check finds as the result, and does not act again after an attempt of unknown fate (IDM-5)", async () => {
  await setSecret(ctx, { projectId: project.id, name: "key", value: "letmein-4711" });
  const { runId, group, executionId } = await beginWithLostAttempt();
  effects.set(executionId, { order: 42 });
  await start(group);
  await ended(runId);
  expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
  expect(actedOn(executionId)).toBe(0);
  expect(asked).toEqual([{ key: executionId, authorization: "Bearer letmein-4711" }]);
  expect(await executionOf(ctx, executionId)).toMatchObject({ state: "COMPLETED", result: { order: 42 } });
  const [, second] = await attemptsOf(ctx, runId, "load");
  expect(second).toMatchObject({ outcome: "succeeded", maybeRepeated: true, response: { status: 200, foundByCheck: true } });
  expect(JSON.stringify(second)).not.toContain("letmein-4711");
});

it("acts, once, where the check says that the effect is missing (IDM-5)", async () => {
  const { runId, group, executionId } = await beginWithLostAttempt();
  await start(group);
  await ended(runId);
  expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
  expect([asked.length, actedOn(executionId)]).toEqual([1, 1]);
  expect(await executionOf(ctx, executionId)).toMatchObject({ result: { acted: true } });
});

it("fails the attempt, and does not act, where nobody can tell (IDM-5)", async () => {
  ails = true;
  const { runId, group, executionId } = await beginWithLostAttempt({ retry: { retries: 1, delays: ["10ms"] } });
  await start(group);
  await until("the attempt has failed", async () => (await attemptsOf(ctx, runId, "load"))[1]?.outcome === "failed", 20_000);
  expect(actedOn(executionId)).toBe(0);
  const [, second] = await attemptsOf(ctx, runId, "load");
  expect(second?.errorMessage).toContain("Whether the effect of an earlier attempt exists could not be told");
});

it("is asked of no first attempt, whose fate nobody has to guess (IDM-5)", async () => {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const load = {
    key: "load",
    group,
    type: "http" as const,
    with: { method: "POST" as const, url: `${base}/act` },
    check: { url: `${base}/effects` },
  };
  const runId = await startRun(ctx, await makePipeline(ctx, project, [load]));
  await start(group);
  await ended(runId);
  expect(asked).toEqual([]);
  expect(actedOn((await nodesByKey(ctx, runId)).get("load")?.executionId ?? "")).toBe(1);
});
