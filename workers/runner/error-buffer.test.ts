import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AttemptReport } from "@/server/domain/run/work";
import { ErrorBuffer } from "./error-buffer";

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "buffer-"));
});
afterAll(() => rm(folder, { recursive: true }));

const failed = (key: string, inputs: unknown = { of: key }): AttemptReport => ({
  runId: "run",
  key,
  generation: 1,
  attemptNo: 1,
  executionId: `x-${key}`,
  token: 3,
  group: "default",
  times: { pickedUpAt: new Date(1_000), executingAt: new Date(2_000) },
  stayedSince: new Date(500),
  inputs,
  response: null,
  logBytes: 0,
  logTruncated: false,
  hops: 0,
  kind: "failed",
  failure: { code: "A_B_1", message: "m", stack: null, stackHash: null, retryable: true, context: {}, retryAfterMs: null },
});

test("a failure that was kept is told again by the next start, with its times and its token (EXC-3)", () => {
  const path = join(folder, "deep", "a.jsonl");
  const first = new ErrorBuffer(path, quiet);
  first.keep(failed("a"));
  first.keep({ ...failed("b"), kind: "succeeded", output: 1 } as AttemptReport);
  first.keep(failed("c", "x".repeat(1_000_000)));
  first.close();
  const second = new ErrorBuffer(path, quiet);
  expect(second.leftover()).toEqual([failed("a"), failed("c", null)]);
  second.clear();
  second.close();
  const third = new ErrorBuffer(path, quiet);
  expect(third.leftover()).toEqual([]);
  third.close();
});

test("a line that was cut off by the death of its writer is left out, and the others are told (EXC-3)", async () => {
  const path = join(folder, "b.jsonl");
  const first = new ErrorBuffer(path, quiet);
  first.keep(failed("a"));
  first.close();
  await appendFile(path, '{"runId":"run","key":"b","gen');
  const second = new ErrorBuffer(path, quiet);
  expect(second.leftover().map((report) => report.key)).toEqual(["a"]);
  second.close();
});

test("a full file is set aside and nothing of it is lost; only the one before it goes, and that is said (EXC-3)", () => {
  const said: string[] = [];
  const log = { ...quiet, warn: (_: object, message: string) => void said.push(message) };
  const path = join(folder, "c.jsonl");
  const buffer = new ErrorBuffer(path, log, 1_000);
  const keys = Array.from({ length: 12 }, (_, n) => `k${n}`);
  const kept = () => new ErrorBuffer(path, quiet).leftover().map((report) => report.key);
  for (const key of keys.slice(0, 5)) buffer.keep(failed(key));
  expect([kept(), said]).toEqual([keys.slice(0, 5), []]);
  for (const key of keys.slice(5)) buffer.keep(failed(key));
  expect(kept().length).toBeLessThan(keys.length);
  expect(kept()).toEqual(keys.slice(-kept().length));
  expect(said.length).toBeGreaterThan(0);
  buffer.clear();
  expect(kept()).toEqual([]);
  buffer.keep(failed("next"));
  expect(kept()).toEqual(["next"]);
});
