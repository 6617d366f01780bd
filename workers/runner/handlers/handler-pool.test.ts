import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { bundleChild } from "@/db/testing/programs";
import { until } from "@/db/testing/wait";
import { inheritedEnvironment } from "@/server/env";
import type { HandlerCall } from "./handler-child";
import { type Abort, HandlerPool } from "./handler-pool";

const TASKS = `
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { defineTask, z } from "apollo-11/sdk";
const any = z.any();
const task = (name, run) => defineTask({ name, input: any, output: any, run });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const echo = task("echo", (ctx, input) => input);
export const who = task("who", () => process.pid);
export const slow = task("slow", async (ctx, { ms }) => { await pause(ms); return process.pid; });
export const once = task("once", async (ctx, { file, ms }) => { appendFileSync(file, ctx.executionId + "\\n"); await pause(ms); return "done"; });
export const die = task("die", async (ctx, { ms }) => { await pause(ms); process.exit(9); });
export const leave = task("leave", (ctx, { file }) => { appendFileSync(file, String(spawn("sleep", ["600"], { detached: true, stdio: "ignore" }).pid)); process.exit(9); });
export const block = task("block", () => { for (;;) {} });
export const hog = task("hog", () => { const all = []; for (;;) all.push(new Array(1e6).fill(1.5)); });
export const listens = task("listens", (ctx) => new Promise((resolve, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason))));
export const typed = task("typed", (ctx) => { throw ctx.error("RATE_LIMIT", 429, "slow down", { retryAfterMs: 5000, context: { order_id: "7" } }); });
export const plain = task("plain", () => { throw new RangeError("bad"); });
export const deadlock = task("deadlock", () => { throw new Error("not booked", { cause: Object.assign(new Error("deadlock detected"), { name: "PostgresError", code: "40P01" }) }); });
export const text = task("text", () => { throw "a text \\u0000"; });
export const cycle = task("cycle", () => { const a = {}; a.a = a; return a; });
export const giant = task("giant", () => "x".repeat(2_000_000));
export const nothing = task("nothing", () => undefined);
export const strict = defineTask({ name: "strict", input: z.strictObject({ rows: z.int() }), output: z.strictObject({ rows: z.int() }), run: (ctx, input) => ({ rows: String(input.rows) }) });
export const stubborn = task("stubborn", async (ctx, { url, fails }) => {
  for (let n = 0; n < 3; n++) await ctx.fetch(url, { method: "POST" }).catch(() => undefined);
  ctx.declareRetry("redis");
  if (fails) throw ctx.error("DOWN", 503, "still down");
  return "went on";
});
export const talks = task("talks", async (ctx) => { console.log("one"); await pause(1); process.stderr.write("two\\n"); ctx.log.info("three", { n: 3 }); return null; });
`;
const TYPED = `
import { defineTask, z } from "apollo-11/sdk";
import { twice } from "./twice";
export const typed = defineTask({ name: "typescript", input: z.int(), output: z.int(), run: (_: unknown, n: number): number => twice(n) });
`;

let folder: string;
let child: Awaited<ReturnType<typeof bundleChild>>;
const pools: HandlerPool[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "handlers-"));
  await writeFile(join(folder, "tasks.mjs"), TASKS);
  await writeFile(join(folder, "typed.ts"), TYPED);
  await writeFile(join(folder, "_twice.ts"), "");
  await writeFile(join(folder, "twice.ts"), "export const twice = (n: number): number => n * 2;\n");
  await writeFile(join(folder, "broken.mjs"), "export const x = ;\n");
  child = await bundleChild();
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});
afterAll(async () => {
  await child.remove();
  await rm(folder, { recursive: true });
});

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const open = async (size = 1, execArgv: string[] = []) => {
  const pool = new HandlerPool({
    program: { entry: child.entry, execArgv, folders: [folder], env: inheritedEnvironment() },
    size,
    log: quiet,
  });
  pools.push(pool);
  const ready = await pool.start();
  return { pool, ready };
};
let calls = 0;
const call = (task: string, input: unknown = {}, lines: string[] = []): HandlerCall => ({
  task,
  inputJson: JSON.stringify(input),
  executionId: `execution-${++calls}`,
  token: 1,
  attempt: 1,
  runId: "run",
  nodeKey: "node",
  traceparent: "00-0-0-01",
  onLog: (stream, text) => lines.push(`${stream}: ${text.trimEnd()}`),
  onProgress: () => undefined,
  onRetried: (of) => lines.push(`retried: ${of}`),
});
const never = new AbortController().signal;
const outputOf = async (pool: HandlerPool, made: HandlerCall) => {
  const result = await pool.run(made, never);
  if (result.kind !== "succeeded") throw new Error(JSON.stringify(result));
  return JSON.parse(result.outputJson) as unknown;
};

test("tasks of .mjs and .ts files are offered with their schemas, and a broken file is named and hides none (WRK-5)", async () => {
  const { pool, ready } = await open();
  expect(ready.tasks.map((task) => task.name)).toEqual(expect.arrayContaining(["echo", "strict", "typescript"]));
  expect(ready.tasks.find((task) => task.name === "strict")?.inputSchema).toMatchObject({
    properties: { rows: { type: "integer" } },
    required: ["rows"],
  });
  expect(ready.problems.map((problem) => problem.file)).toEqual([join(folder, "broken.mjs")]);
  expect(await outputOf(pool, call("typescript", 21))).toBe(42);
});

test("calls run in a warm process, side by side (RUN-4)", async () => {
  const { pool } = await open();
  const pids = await Promise.all([outputOf(pool, call("slow", { ms: 50 })), outputOf(pool, call("who")), outputOf(pool, call("who"))]);
  expect(new Set(pids).size).toBe(1);
  expect(await outputOf(pool, call("nothing"))).toBeNull();
});

test("what a task writes is its attempt's, whichever way it writes (OBS-2)", async () => {
  const { pool } = await open();
  const [mine, others]: [string[], string[]] = [[], []];
  await Promise.all([outputOf(pool, call("talks", {}, mine)), outputOf(pool, call("echo", {}, others))]);
  expect(mine).toEqual(["stdout: one", "stderr: two", 'stdout: three {"n":3}']);
  expect(others).toEqual([]);
});

test("calls that a task makes again inside are told, by its client's own count or by its word (EXC-3, RTY-3)", async () => {
  const { pool } = await open();
  const lines: string[] = [];
  expect(await outputOf(pool, call("stubborn", { url: "http://127.0.0.1:1/pay" }, lines))).toBe("went on");
  expect(lines).toEqual(["retried: POST http://127.0.0.1:1/pay", "retried: POST http://127.0.0.1:1/pay", "retried: redis"]);
});

test.each([
  ["typed", { kind: "thrown", status: "RATE_LIMIT", number: 429, message: "slow down", retryAfterMs: 5_000, context: { order_id: "7" } }],
  ["plain", { kind: "thrown", status: null, message: "bad", retryable: true }],
  ["deadlock", { kind: "thrown", status: "DEADLOCK", number: 409, message: "not booked", retryable: true }],
  ["text", { kind: "thrown", stack: null }],
  ["cycle", { kind: "output_no_json" }],
  ["giant", { kind: "output_too_large", bytes: 2_000_002 }],
  ["no.such", { kind: "unknown_task" }],
])("the failure of %s arrives as data (EXC-1, WRK-5)", async (task, failure) => {
  const { pool } = await open();
  expect(await pool.run(call(task), never)).toMatchObject({ kind: "failed", failure });
});

test("input and output are checked against the task's schema, and a refusal is final (WRK-5)", async () => {
  const { pool } = await open();
  const refused = await pool.run(call("strict", { rows: "many" }), never);
  expect(refused).toMatchObject({ kind: "failed", failure: { status: "INPUT_VALIDATION", number: 422, retryable: false } });
  const wrong = await pool.run(call("strict", { rows: 1 }), never);
  expect(wrong).toMatchObject({ kind: "failed", failure: { status: "OUTPUT_VALIDATION", retryable: false } });
});

test("a process that dies with several attempts charges none of them; alone, only the one that kills it (F19, P5)", async () => {
  const { pool } = await open();
  const file = join(folder, "once.log");
  const [killer, innocent] = [call("die", { ms: 50 }), call("once", { file, ms: 300 })];
  const both = await Promise.all([pool.run(killer, never), pool.run(innocent, never)]);
  expect(both).toMatchObject([
    { kind: "interrupted", companions: 1, death: { code: 9 } },
    { kind: "interrupted", companions: 1 },
  ]);
  const starts = async () => (await readFile(file, "utf8")).trim().split("\n").length;
  expect(await starts()).toBe(1);
  const again = await Promise.all([pool.run(killer, never), pool.run(innocent, never)]);
  expect(again).toMatchObject([{ kind: "crashed", death: { code: 9, outOfMemory: false } }, { kind: "succeeded" }]);
  expect(await starts()).toBe(2);
  expect(await outputOf(pool, call("echo", 1))).toBe(1);
});

test("what a task left behind in a session of its own ends with its process, and never acts beside the next attempt (F19, F22)", async () => {
  const { pool } = await open();
  const file = join(folder, "left");
  const result = await pool.run(call("leave", { file }), new AbortController().signal);
  expect(result).toMatchObject({ kind: "crashed" });
  const pid = await readFile(file, "utf8");
  expect(await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).toBe("");
});

test("a process that runs out of memory is told apart from one that exits (F18)", async () => {
  const { pool } = await open(1, ["--max-old-space-size=40"]);
  expect(await pool.run(call("hog"), never)).toMatchObject({ kind: "crashed", death: { outOfMemory: true } });
});

test("a task that hears its signal ends by itself, one that blocks is ended with its process (F7)", async () => {
  const { pool } = await open();
  const stop = (reason: Abort) => {
    const abort = new AbortController();
    return { signal: abort.signal, abort: () => abort.abort(reason) };
  };
  const polite = stop({ reason: "enough", graceMs: 20_000 });
  const first = pool.run(call("listens"), polite.signal);
  await outputOf(pool, call("echo"));
  polite.abort();
  expect(await first).toEqual({ kind: "aborted" });
  const deaf = stop({ reason: "enough", graceMs: 100 });
  const second = pool.run(call("block"), deaf.signal);
  deaf.abort();
  expect(await second).toEqual({ kind: "aborted" });
  expect(await outputOf(pool, call("echo", 2))).toBe(2);
});

test("a companion of a blocked task comes back uncharged and is not run again unseen (F7, P5)", async () => {
  const { pool } = await open();
  const file = join(folder, "companion.log");
  const abort = new AbortController();
  const companion = call("once", { file, ms: 150 });
  const running = pool.run(companion, never);
  await until("the companion has begun", async () => (await readFile(file, "utf8").catch(() => "")) !== "");
  const blocked = pool.run(call("block"), abort.signal);
  abort.abort({ reason: "out of time", graceMs: 200 } satisfies Abort);
  expect(await blocked).toEqual({ kind: "aborted" });
  expect(await running).toMatchObject({ kind: "interrupted", companions: 1 });
  expect((await readFile(file, "utf8")).trim().split("\n")).toHaveLength(1);
});

test("five hundred calls through two processes all come back with their own answers (RUN-4)", async () => {
  const { pool } = await open(2);
  const outputs = await Promise.all(Array.from({ length: 500 }, (_, index) => outputOf(pool, call("echo", { index }))));
  expect(outputs).toEqual(Array.from({ length: 500 }, (_, index) => ({ index })));
});
