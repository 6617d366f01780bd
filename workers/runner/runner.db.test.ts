import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { platformEvents, workers } from "@/db/schema/platform";
import { logChunks } from "@/db/schema/runs";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { bundleChild } from "@/db/testing/programs";
import { attemptsOf, executionOf, makePipeline, nodesByKey, runOf, startRun, statesOf } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { memoryDoorbell } from "@/server/adapters/doorbell-memory";
import { guardedHttp } from "@/server/adapters/http-guarded";
import { memoryLiveFeed } from "@/server/adapters/live-feed-memory";
import { openVault } from "@/server/adapters/vault";
import type { Ctx } from "@/server/engine/context";
import { cancelRun } from "@/server/engine/runs/cancel-run";
import { claimReady } from "@/server/engine/runs/claim";
import { loadRun } from "@/server/engine/runs/load-run";
import { setSecret } from "@/server/engine/secrets/set-secret";
import { inheritedEnvironment } from "@/server/env";
import { createDemoService } from "../demo-service/server";
import type { Service } from "../service";
import type { Reading } from "./pressure";
import { createRunner } from "./runner";
import type { RunnerOptions } from "./runner-options";

const HANDLERS = `
import { defineTask, z } from "apollo-11/sdk";
export const shout = defineTask({
  name: "test.shout",
  input: z.strictObject({ text: z.string() }),
  output: z.strictObject({ text: z.string() }),
  run: async (ctx, { text }) => {
    ctx.progress(0.5);
    console.log("shouting", text);
    return { text: text.toUpperCase() };
  },
});
export const short = defineTask({
  name: "test.shortage",
  input: z.looseObject({}),
  output: z.null(),
  run: (ctx) => { throw ctx.error("SHORTAGE", 409, "3 left", { retryable: false }); },
});
export const stubborn = defineTask({
  name: "test.stubborn",
  input: z.looseObject({}),
  output: z.null(),
  run: async (ctx) => {
    for (let n = 0; n < 2; n++) ctx.declareRetry("POST http://orders/pay");
    if (ctx.nodeKey === "bad") throw ctx.error("DOWN", 503, "still down");
    return null;
  },
});
`;

let database: TestDatabase;
let folder: string;
let child: Awaited<ReturnType<typeof bundleChild>>;
let ctx: Ctx;
let admin: Ctx;
let project: { id: string };
let demo: string;
const server = createDemoService();
const http = guardedHttp({ isOpened: async () => true, own: [] });
const running: Service[] = [];
let workersMade = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "runner-"));
  await writeFile(join(folder, "tasks.mjs"), HANDLERS);
  [database, child] = await Promise.all([openTestDatabase(), bundleChild()]);
  const vault = await openVault({ keyFile: join(folder, "secret.key"), sealedKeyIds: [] });
  ctx = testCtx(database.db, { ports: { ...recordingPorts(), doorbell: memoryDoorbell(), live: memoryLiveFeed(), http, vault } });
  project = await makeProject(ctx);
  admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  demo = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await http.close();
  await Promise.all([database.close(), child.remove()]);
  await rm(folder, { recursive: true, force: true });
});

const begin = async (more: Partial<RunnerOptions> = {}) => {
  const id = more.id ?? `runner-${++workersMade}`;
  const service = createRunner({
    ctx,
    clockOffsetMs: async () => 0,
    renewPool: () => {},
    openLane: () => database.another(),
    id,
    groups: ["default"],
    slots: 4,
    dataDir: folder,
    drainMs: 5_000,
    inherited: inheritedEnvironment(),
    handlers: {
      entry: child.entry,
      execArgv: [],
      folders: [folder],
      processes: 1,
    },
    ...more,
  });
  running.push(service);
  await service.start();
  return { service, id };
};

const command = (key: string, argv: string[], more: object = {}) => ({ key, type: "command" as const, with: { argv, ...more } });
const shell = (key: string, script: string, more: object = {}) => ({ ...command(key, ["sh", "-c", script]), ...more });
const run = async (
  nodes: Parameters<typeof makePipeline>[2],
  spec: Parameters<typeof makePipeline>[3] = {},
  params: Record<string, unknown> = {},
) => {
  const id = await startRun(ctx, await makePipeline(ctx, project, nodes, { domain: "ORDER", ...spec }), { params });
  await ctx.ports.doorbell.ring(["default"]);
  return id;
};
const ended = (runId: string, state = "SUCCESS") => until(`run ${state}`, async () => (await runOf(ctx, runId)).state === state, 20_000);
const isRunning = (runId: string, key: string) =>
  until(`${key} runs`, async () => (await attemptsOf(ctx, runId, key)).some((attempt) => attempt.outcome === null));
const linesOf = async (runId: string, key: string) => {
  const chunks = await database.db
    .select()
    .from(logChunks)
    .where(sql`${logChunks.runId} = ${runId} and ${logChunks.nodeKey} = ${key}`)
    .orderBy(logChunks.chunk);
  return chunks.flatMap((chunk) => chunk.lines);
};
const oneAttempt = async (runId: string, key: string) => {
  const [attempt, ...others] = await attemptsOf(ctx, runId, key);
  if (!attempt || others.length > 0) throw new Error(`${key} has ${others.length + (attempt ? 1 : 0)} attempts`);
  return attempt;
};
const isAlive = async (pidFile: string) => {
  const pid = Number(await readFile(pidFile, "utf8").catch(() => "0"));
  if (pid === 0) return false;
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/\) Z /.test(stat);
};

describe("a worker", () => {
  test("runs a chain of command, handler and http, outputs handed on by templates, one identity sent everywhere (RUN-4, IDM-1, PIP-5)", async () => {
    await begin();
    const runId = await run(
      [
        shell("a", `echo working; echo '{"word":"'$WORD'","id":"'$APOLLO_EXECUTION_ID'"}'`),
        { key: "b", type: "handler", needs: ["a"], with: { task: "test.shout", input: { text: "{{ nodes.a.output.word }}" } } },
        {
          key: "c",
          type: "http",
          needs: ["b"],
          with: { method: "POST", url: `${demo}/effects`, body: { said: "{{ nodes.b.output.text }}" } },
        },
      ].map((node) => (node.key === "a" ? { ...node, with: { ...node.with, env: { WORD: "{{ params.word }}" } } } : node)) as never,
      { params: { word: { type: "string" } } },
      { word: "hello" },
    );
    await ended(runId);
    const nodes = await nodesByKey(ctx, runId);
    const outputOf = async (key: string) => (await executionOf(ctx, nodes.get(key)?.executionId ?? "")).result;
    expect(await outputOf("a")).toEqual({ word: "hello", id: nodes.get("a")?.executionId });
    expect(await outputOf("b")).toEqual({ text: "HELLO" });
    expect(await outputOf("c")).toEqual({ repeated: false });
    const effect = await (await fetch(`${demo}/effects?key=${nodes.get("c")?.executionId}`)).json();
    expect(effect).toMatchObject({ effects: 1, calls: 1, what: { said: "HELLO" } });
    expect((await linesOf(runId, "a")).map((line) => line.text)).toContain("working");
    expect((await linesOf(runId, "b")).map((line) => line.text)).toEqual(["progress 50 %", "shouting hello"]);
    const attempt = await oneAttempt(runId, "c");
    expect(attempt).toMatchObject({ outcome: "succeeded", response: { status: 200 }, inputs: { body: { said: "HELLO" } } });
    const instants = [attempt.queuedAt, attempt.dispatchedAt, attempt.pickedUpAt, attempt.executingAt, attempt.committedAt];
    const times = instants.filter((at) => at !== null).map((at) => at.getTime());
    expect(times.length).toBeGreaterThanOrEqual(4);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test("fails a command by its exit code, in the pipeline's domain and the step's module, with the last words of its stderr (EXC-1, EXC-2)", async () => {
    await begin();
    const runId = await run([shell("a", "echo reason >&2; exit 3", { retry: { policy: "none" }, module: "STOCK" })]);
    await ended(runId, "PAUSED");
    const attempt = await oneAttempt(runId, "a");
    expect(attempt).toMatchObject({ outcome: "failed", errorCode: "ORDER_STOCK_EXIT_3", response: { exitCode: 3, signal: null } });
    expect(attempt.errorMessage).toContain("reason");
  });

  test("fails a command with an argument beyond 128 KiB as the author's fault, once, and says what to do (EXC-1, RUN-4)", async () => {
    await begin();
    const long = shell("a", `{ printf '"'; head -c 200000 /dev/zero | tr '\\0' x; printf '"'; } > $APOLLO_OUTPUT`);
    const runId = await run([long, { ...command("b", ["echo", "{{ nodes.a.output }}"]), needs: ["a"] }]);
    await ended(runId, "PAUSED");
    const attempt = await oneAttempt(runId, "b");
    expect(attempt).toMatchObject({ outcome: "failed", errorCode: "ORDER_COMMAND_ARGUMENTS_TOO_LARGE_413" });
    expect(attempt.errorMessage).toContain("by stdin");
  });

  test("keeps the code that a task chose (EXC-1, WRK-5)", async () => {
    await begin();
    const runId = await run([{ key: "a", type: "handler", with: { task: "test.shortage", input: {} }, module: "INVENTORY" } as never]);
    await ended(runId, "PAUSED");
    expect(await oneAttempt(runId, "a")).toMatchObject({ errorCode: "ORDER_INVENTORY_SHORTAGE_409", errorMessage: "3 left" });
  });

  test("shows what a task retried inside at its node, and takes it from the node's retries (EXC-3, RTY-3)", async () => {
    await begin();
    const stubborn = (key: string) => ({
      key,
      type: "handler",
      with: { task: "test.stubborn", input: {} },
      retry: { retries: 2, delays: ["1s"] },
    });
    const runId = await run([stubborn("good"), stubborn("bad")] as never);
    await ended(runId, "PAUSED");
    const innerRetries = { count: 2, of: ["POST http://orders/pay"] };
    expect(await oneAttempt(runId, "good")).toMatchObject({ outcome: "succeeded", response: { innerRetries } });
    expect(await oneAttempt(runId, "bad")).toMatchObject({ outcome: "failed", response: { innerRetries } });
    expect((await nodesByKey(ctx, runId)).get("bad")).toMatchObject({ state: "FAILED", attempts: 3, attemptNo: 1 });
    const { nodes } = await loadRun(ctx, runId);
    expect(nodes.map(({ key, attempts }) => [key, attempts[0]?.innerRetries])).toEqual([
      ["good", 2],
      ["bad", 2],
    ]);
    expect((await linesOf(runId, "good")).map((line) => line.text)).toContainEqual(expect.stringContaining("made failed calls again"));
  });

  test("ends an attempt that is out of time with everything that it started, also what ignores SIGTERM and left its group (RUN-3)", async () => {
    await begin();
    const pids = [join(folder, "t1.pid"), join(folder, "t2.pid")] as const;
    const script = `trap '' TERM; setsid sh -c 'trap "" TERM; echo $$ > ${pids[0]}; while :; do sleep 1; done' & echo $$ > ${pids[1]}; while :; do sleep 1; done`;
    const runId = await run([shell("a", script, { timeout: "700ms", retry: { policy: "none" } })]);
    await ended(runId, "PAUSED");
    expect(await statesOf(ctx, runId)).toEqual({ a: "TIMEOUT" });
    expect(await oneAttempt(runId, "a")).toMatchObject({ outcome: "timed_out", errorCode: "ORDER_COMMAND_TIMEOUT_504" });
    expect(await Promise.all(pids.map(isAlive))).toEqual([false, false]);
  });

  test("a call that is out of time says whom it asked, so that it counts for its host; a command says by what it ended (EXC-7)", async () => {
    await begin();
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => {
      silent.listen(0, "127.0.0.1", resolve);
    });
    const { port } = silent.address() as AddressInfo;
    const once = { timeout: "700ms", retry: { policy: "none" } };
    const ask = { key: "a", type: "http", with: { method: "GET", url: `http://127.0.0.1:${port}/orders?day=1` }, ...once };
    const runId = await run([ask, shell("b", "sleep 60", once)] as never);
    await ended(runId, "PAUSED");
    expect(await statesOf(ctx, runId)).toEqual({ a: "TIMEOUT", b: "TIMEOUT" });
    expect(await oneAttempt(runId, "a")).toMatchObject({
      outcome: "timed_out",
      response: { url: `http://127.0.0.1:${port}`, durationMs: expect.any(Number) },
    });
    expect(await oneAttempt(runId, "b")).toMatchObject({ outcome: "timed_out", response: { exitCode: null, signal: "SIGTERM" } });
    silent.closeAllConnections();
    silent.close();
  });

  test("ends a running command when its run is cancelled (RUN-3)", async () => {
    await begin();
    const pid = join(folder, "cancel.pid");
    const runId = await run([shell("a", `echo $$ > ${pid}; sleep 60`)]);
    await until("it runs", () => isAlive(pid));
    await cancelRun(ctx, { runId, reason: "test" });
    await until("it is dead", async () => !(await isAlive(pid)), 10_000);
    expect((await runOf(ctx, runId)).state).toBe("CANCELED");
  });

  test("takes no more nodes than it has slots (WRK-2)", async () => {
    const folderOfMarks = await mkdtemp(join(folder, "slots-"));
    const script = `touch ${folderOfMarks}/$APOLLO_NODE; ls ${folderOfMarks} | wc -l; sleep 0.2; rm ${folderOfMarks}/$APOLLO_NODE`;
    const count = (key: string) =>
      shell(
        key,
        `n=$(${script.replaceAll(";", " &&").replace(" && ls", "; ls").split(" && sleep")[0]}); sleep 0.2; rm ${folderOfMarks}/$APOLLO_NODE; echo $n`,
      );
    await begin({ slots: 2 });
    const runId = await run(["a", "b", "c", "d", "e", "f"].map(count));
    await ended(runId);
    const results = await Promise.all(
      [...(await nodesByKey(ctx, runId)).values()].map(async (node) => (await executionOf(ctx, node.executionId)).result),
    );
    expect(
      results.every((most) => typeof most === "number" && most >= 1 && most <= 2),
      JSON.stringify(results),
    ).toBe(true);
  });

  test("hands back what does not end in time when it is drained, and charges no attempt for it (WRK-4)", async () => {
    const { service } = await begin({ drainMs: 100 });
    const runId = await run([shell("a", "sleep 60")]);
    await isRunning(runId, "a");
    await service.stop();
    expect((await nodesByKey(ctx, runId)).get("a")).toMatchObject({ state: "QUEUED", attempts: 0 });
    expect((await attemptsOf(ctx, runId, "a"))[0]).toMatchObject({ outcome: "handed_back" });
    await cancelRun(ctx, { runId, reason: "test" });
  });

  test("lets what ends in time end when it is drained, and takes nothing new (WRK-4)", async () => {
    const { service, id } = await begin();
    const runId = await run([shell("a", "sleep 0.5; echo 1"), { ...shell("b", "echo 2"), needs: ["a"] }]);
    await isRunning(runId, "a");
    await service.stop();
    expect(await statesOf(ctx, runId)).toEqual({ a: "SUCCESS", b: "QUEUED" });
    const [row] = await database.db
      .select({ live: sql<boolean>`${workers.expiresAt} > clock_timestamp()` })
      .from(workers)
      .where(eq(workers.id, id));
    expect(row?.live).toBe(false);
    await begin();
    await ended(runId);
  });

  test("gives a secret to the command and to nothing that is kept: log, inputs, output, error (SEC-1)", async () => {
    const canary = `canary-${randomBytes(6).toString("hex")}`;
    await setSecret(admin, { projectId: project.id, name: "db_password", value: canary });
    await begin();
    const script = `echo "it is $PASSWORD"; printf %s "$PASSWORD" | base64; echo "{\\"length\\": \${#PASSWORD}, \\"told\\": \\"$PASSWORD\\"}"`;
    const good = await run([command("a", ["sh", "-c", script], { env: { PASSWORD: "{{ secrets.db_password }}" } })]);
    await ended(good);
    const attempt = await oneAttempt(good, "a");
    expect(attempt.output ?? (await executionOf(ctx, attempt.executionId)).result).toEqual({ length: canary.length, told: "***" });
    const lines = (await linesOf(good, "a")).map((line) => line.text);
    expect(lines.slice(0, 2)).toEqual(["it is ***", "***"]);
    expect(lines).toContain("the output held secrets, which are kept as ***: db_password at told");
    expect(attempt.response).toMatchObject({ exitCode: 0, maskedSecrets: ["db_password at told"] });
    const bad = await run(
      [command("a", ["sh", "-c", 'echo "no $P" >&2; exit 1'], { env: { P: "{{ secrets.db_password }}" } })].map((node) => ({
        ...node,
        retry: { policy: "none" as const },
      })),
    );
    await ended(bad, "PAUSED");
    for (const table of ["runs", "node_runs", "executions", "attempts", "run_events", "error_events", "log_chunks", "secrets"]) {
      const rows = await database.sql.unsafe(`select to_jsonb(t)::text as text from ${table} t`);
      expect(
        rows.filter((row) => String(row.text).includes(canary)),
        table,
      ).toEqual([]);
    }
  });

  test("hands an output on as it came, though it looks like a credential: only logs are masked by look (SEC-1, PIP-5)", async () => {
    await begin();
    const output = { plan: "Basic subscription", url: "postgres://a:b-c-d-e@host/x", token: "eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2ln" };
    const runId = await run([shell("a", `echo '${JSON.stringify(output)}'`)]);
    await ended(runId);
    expect((await executionOf(ctx, (await oneAttempt(runId, "a")).executionId)).result).toEqual(output);
    expect((await linesOf(runId, "a"))[0]?.text).toContain("postgres://a:***@host/x");
  });

  test("names a secret that is not there, and runs nothing (SEC-1)", async () => {
    await begin();
    const runId = await run([command("a", ["echo", "{{ secrets.missing_one }}"])]);
    await ended(runId, "PAUSED");
    expect(await oneAttempt(runId, "a")).toMatchObject({
      errorCode: "APOLLO_SECRET_UNAVAILABLE_424",
      errorMessage: expect.stringContaining("missing_one"),
    });
  });

  test("caps a flood of output with a visible mark and the full count, and the node still succeeds (B85)", async () => {
    await begin();
    const runId = await run([shell("a", "yes 0123456789abcdef | head -c 40000000; echo; echo 7")]);
    await ended(runId);
    const attempt = await oneAttempt(runId, "a");
    expect(attempt.logTruncated).toBe(true);
    expect(attempt.logBytes).toBe(40_000_003);
    expect((await executionOf(ctx, attempt.executionId)).result).toBe(7);
    const lines = await linesOf(runId, "a");
    expect(lines.filter((line) => line.stream === "system").map((line) => line.text)).toEqual([
      expect.stringContaining("log limit"),
      "the attempt wrote 40000003 bytes in all",
    ]);
    expect(lines.reduce((bytes, line) => bytes + line.text.length + 1, 0)).toBeLessThan(10_100_000);
  });

  test("shows the log while the node runs (OBS-2)", async () => {
    await begin();
    const runId = await run([shell("a", "echo first; sleep 20")]);
    await until("the line", async () => (await linesOf(runId, "a")).some((line) => line.text === "first"), 5_000);
    expect((await nodesByKey(ctx, runId)).get("a")?.state).toBe("RUNNING");
    await cancelRun(ctx, { runId, reason: "test" });
  });

  test("takes no new node while the disk is full, says so, and takes them again by itself (WRK-3)", async () => {
    const reading: { now: Reading } = { now: { diskUsed: 0.81, memoryUsed: 0.1 } };
    const { id } = await begin({ readPressure: async () => reading.now });
    const runId = await run([shell("a", "echo 1")]);
    const refusing = async () => (await database.db.select().from(workers).where(eq(workers.id, id)))[0]?.refusing;
    await until("it says so", async () => (await refusing()) === "disk");
    expect(await statesOf(ctx, runId)).toEqual({ a: "QUEUED" });
    reading.now = { diskUsed: 0.5, memoryUsed: 0.1 };
    await ended(runId);
    await until("it says that it works", async () => (await refusing()) === null);
  });

  test("takes no new node while its machine's clock is off, says so in an event, and takes them again when it is right (P22, F13)", async () => {
    const clock = { offsetMs: -120_000 };
    const { id } = await begin({ clockOffsetMs: async () => clock.offsetMs, clockWatchMs: 50 });
    const refusing = async () => (await database.db.select().from(workers).where(eq(workers.id, id)))[0]?.refusing;
    await until("it says so", async () => (await refusing()) === "clock");
    const runId = await run([shell("a", "echo 1")]);
    const [event, ...others] = await until("the event", async () => {
      const events = await database.db.select().from(platformEvents).where(eq(platformEvents.code, "APOLLO_CLOCK_DRIFT_503"));
      return events.length > 0 ? events : null;
    });
    expect(others).toEqual([]);
    expect(event).toMatchObject({ data: { workerId: id, offsetMs: -120_000 } });
    expect(event?.message).toContain("120.0 s behind the database");
    expect(await statesOf(ctx, runId)).toEqual({ a: "QUEUED" });
    clock.offsetMs = 0;
    await ended(runId);
    await until("it says that it works", async () => (await refusing()) === null);
  });

  test("hands back a node that was claimed by an answer that never came, so that it runs (IDM-4, F24)", async () => {
    const { id } = await begin({ slots: 1 });
    const blocker = await run([shell("block", "sleep 1.5")]);
    await isRunning(blocker, "block");
    const runId = await run([shell("a", "echo 1")]);
    const [row] = await database.db.select().from(workers).where(eq(workers.id, id));
    if (!row) throw new Error("the worker has no row");
    const lost = await claimReady(ctx, { worker: { id, bootId: row.bootId, epoch: row.epoch }, groups: ["default"], limit: 1 });
    expect(lost.map((node) => node.runId)).toEqual([runId]);
    await ended(runId);
    expect((await attemptsOf(ctx, runId, "a")).map((attempt) => attempt.outcome)).toEqual(["handed_back", "succeeded"]);
  });

  test("ends what it runs when its lease is over, and registers again to go on (IDM-3)", async () => {
    const { id } = await begin();
    const pid = join(folder, "lapse.pid");
    const runId = await run([shell("a", `echo $$ > ${pid}; sleep 60`)]);
    await until("it runs", () => isAlive(pid));
    const [before] = await database.db.select().from(workers).where(eq(workers.id, id));
    await database.db.update(workers).set({ expiresAt: sql`clock_timestamp() - interval '1 second'` }).where(eq(workers.id, id));
    await until("it is dead", async () => !(await isAlive(pid)), 10_000);
    const after = await until("it is registered anew", async () => {
      const [row] = await database.db.select().from(workers).where(eq(workers.id, id));
      return row && row.bootId !== before?.bootId ? row : null;
    });
    expect(after.epoch).toBeGreaterThan(before?.epoch ?? 0);
    expect(await statesOf(ctx, runId)).toEqual({ a: "RUNNING" });
    await cancelRun(ctx, { runId, reason: "test" });
  });

  test("ends what it runs when the database does not answer, by its own clock, and goes on when it does (IDM-3, F31)", async () => {
    await begin();
    const pid = join(folder, "frozen.pid");
    const runId = await run([shell("a", `echo $$ > ${pid}; sleep 60`)]);
    await until("it runs", () => isAlive(pid));
    const other = database.another();
    await other.db.transaction(async (tx) => {
      await tx.execute(sql`lock table workers in access exclusive mode`);
      await until("it is dead", async () => !(await isAlive(pid)), 15_000);
    });
    await ctx.db.execute(sql`select 1`);
    await cancelRun(ctx, { runId, reason: "test" });
    const next = await run([shell("b", "echo 1")]);
    await ended(next);
  });

  test("runs a fan of fifty through hand-on and claims, each exactly once (RUN-4, IDM-2)", async () => {
    await begin({ slots: 8 });
    const leaves = Array.from({ length: 50 }, (_, index) => ({ ...command(`n${index}`, ["true"]), needs: ["root"] }));
    const runId = await run([command("root", ["true"]), ...leaves]);
    await ended(runId);
    const outcomes = await Promise.all(
      leaves.map(async (leaf) => (await attemptsOf(ctx, runId, leaf.key)).map((attempt) => attempt.outcome)),
    );
    expect(outcomes.every((each) => each.length === 1 && each[0] === "succeeded")).toBe(true);
  });
});
