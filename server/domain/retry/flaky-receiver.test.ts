import { describe, expect, it } from "vitest";
import { activeRun, failureOf, node } from "@/db/testing/plans";

const WINDOW_MS = 400;
const SHARE = 0.12;
const RUNS = 8_000;

/** A random sequence that is the same in every run of the test. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A receiver that fails for 400 ms at a time, at random moments that are 12 % of all; answers by instant. */
function flakyReceiver(random: () => number): (atMs: number) => boolean {
  const windows: number[] = [];
  let end = 0;
  const gapMs = (WINDOW_MS * (1 - SHARE)) / SHARE;
  const grow = (toMs: number) => {
    while (end <= toMs) {
      const from = end - gapMs * Math.log(1 - random());
      windows.push(from);
      end = from + WINDOW_MS;
    }
  };
  return (atMs) => {
    grow(atMs);
    return windows.some((from) => from <= atMs && atMs < from + WINDOW_MS);
  };
}

/** One node with defaults against a receiver of its own; how often it was tried and whether it came through. */
function tryAgainst(fails: (atMs: number) => boolean, startMs: number, random: () => number): { ok: boolean; tries: number } {
  const run = activeRun([node("a")]);
  const bornMs = run.now.getTime();
  run.wait(startMs);
  for (let tries = 1; ; tries++) {
    run.claim("a");
    if (!fails(run.now.getTime() - bornMs)) {
      run.succeed("a");
      return { ok: true, tries };
    }
    const failure = failureOf("TEST_API_TIMEOUT_504");
    run.tell({ kind: "attemptFailed", key: "a", token: run.node("a").token, failure, jitter: random() });
    const { state, dueAt } = run.node("a");
    if (state !== "RETRYING" || !dueAt) return { ok: false, tries };
    run.tell({ kind: "retryDue", key: "a" });
    expect(run.last?.kind, "no retry before its time").toBe("superseded");
    run.wait(dueAt.getTime() - run.now.getTime());
    run.tell({ kind: "retryDue", key: "a" });
  }
}

describe("retries by code against a receiver that fails in windows of 400 ms, 12 % of the time (RTY-2)", () => {
  it("bring final failures from 12 % to 0.3 % at most, with four tries at most and none before its time (RTY-2, RTY-3)", () => {
    const random = seeded(11);
    let first = 0;
    let final = 0;
    for (let index = 0; index < RUNS; index++) {
      const fails = flakyReceiver(random);
      const startMs = Math.floor(random() * 20_000);
      if (fails(startMs)) first += 1;
      const { ok, tries } = tryAgainst(fails, startMs, random);
      if (!ok) final += 1;
      expect(tries).toBeLessThanOrEqual(4);
    }
    expect(first / RUNS).toBeGreaterThan(0.1);
    expect(first / RUNS).toBeLessThan(0.14);
    expect(final / RUNS).toBeLessThanOrEqual(0.003);
  });
});
