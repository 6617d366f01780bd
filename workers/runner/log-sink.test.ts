import { expect, test } from "vitest";
import { textMask } from "@/server/domain/errors/mask-text";
import { MAX_LOG_BYTES } from "@/server/domain/run/work";
import type { LogChunk } from "@/server/engine/attempts/append-logs";
import { LogSink } from "./log-sink";

const TARGET = { runId: "r", key: "a", generation: 0, attemptNo: 1 };
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const clock = { now: () => new Date(0), monotonicMs: () => performance.now() };

const open = (secrets: string[] = []) => {
  const chunks: LogChunk[] = [];
  const sink = new LogSink({ append: async (batch) => void chunks.push(...batch), clock, log: quiet });
  return { sink, log: sink.open(TARGET, textMask(secrets)), lines: () => chunks.flatMap((chunk) => chunk.lines.map((line) => line.text)) };
};

test("the worker's own lines count in the limit too, and the flood is marked (B85)", async () => {
  const { sink, log, lines } = open();
  for (let sent = 0; sent < 8_000; sent++) log.system("x".repeat(1_900));
  expect(await log.end()).toMatchObject({ truncated: true });
  await sink.close(1_000);
  expect(lines().reduce((bytes, line) => bytes + line.length, 0)).toBeLessThan(MAX_LOG_BYTES + 70_000);
  expect(lines()).toContainEqual(expect.stringContaining("log limit"));
});

test("what the worker says after a flood of the attempt's is kept (B85, OBS-2)", async () => {
  const { sink, log, lines } = open();
  for (let sent = 0; sent < 110; sent++) log.write("stdout", `${"y".repeat(99_999)}\n`);
  log.system("why it ended");
  await log.end();
  await sink.close(1_000);
  expect(lines()).toContain("why it ended");
});

test("an own line is cut, after it is masked (SEC-1, B85)", async () => {
  const { sink, log, lines } = open(["geheimnis-7"]);
  log.system(`${"z".repeat(1_995)}geheimnis-7${"z".repeat(100_000)}`);
  await log.end();
  await sink.close(1_000);
  expect(lines()).toEqual([`${"z".repeat(1_995)}***zz`]);
});

test("an attempt that wrote nothing ends at once, however long another's log takes to store (B85)", async () => {
  let store = () => {};
  const stored = new Promise<void>((resolve) => {
    store = resolve;
  });
  const sink = new LogSink({ append: () => stored, clock, log: quiet });
  const loud = sink.open(TARGET, textMask([]));
  loud.write("stdout", `${"y".repeat(99_999)}\n`);
  const ended = loud.end();
  expect(await sink.open({ ...TARGET, key: "b" }, textMask([])).end()).toEqual({ bytes: 0, truncated: false });
  store();
  expect(await ended).toEqual({ bytes: 100_000, truncated: false });
  await sink.close(1_000);
});
