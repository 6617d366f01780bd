import { expect, test } from "vitest";
import type { Ctx } from "./context";
import { LineWatch } from "./line-watch";

const lineOf = (name: string) => ({ name }) as unknown as Ctx["db"];

function watched(ping: () => Promise<unknown>) {
  const state = { nowMs: 0, line: lineOf("first"), dead: [] as Ctx["db"][], pings: 0, isBusy: false };
  const watch = new LineWatch({
    current: () => state.line,
    ping: () => {
      state.pings++;
      return ping();
    },
    monotonicMs: () => state.nowMs,
    limitMs: 10_000,
    isBusy: async () => state.isBusy,
    onDead: (line) => state.dead.push(line),
  });
  return { state, watch };
}

/** A turn for what a look has set going. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a line that owes its answer for too long is given up once, and the next one is asked anew (B106)", async () => {
  const { state, watch } = watched(() => new Promise(() => {}));
  for (; state.nowMs < 10_000; state.nowMs += 2_500) watch.look();
  expect([state.pings, state.dead]).toEqual([1, []]);
  watch.look();
  watch.look();
  await turn();
  expect(state.dead).toEqual([state.line]);
  state.line = lineOf("second");
  watch.look();
  expect([state.pings, state.dead.length]).toEqual([2, 1]);
});

test("a line that answers, or breaks by itself, is never given up", async () => {
  for (const answer of [() => Promise.resolve(), () => Promise.reject(new Error("broken"))]) {
    const { state, watch } = watched(answer);
    for (; state.nowMs < 60_000; state.nowMs += 5_000) {
      watch.look();
      await Promise.resolve();
      await Promise.resolve();
    }
    expect([state.pings, state.dead]).toEqual([12, []]);
  }
});

test("a line on which a question waits because all its connections are at work is not given up while they are", async () => {
  const { state, watch } = watched(() => new Promise(() => {}));
  state.isBusy = true;
  for (; state.nowMs < 60_000; state.nowMs += 5_000) {
    watch.look();
    await turn();
  }
  expect([state.pings, state.dead]).toEqual([1, []]);
  state.isBusy = false;
  for (const untilMs = state.nowMs + 10_000; state.nowMs <= untilMs; state.nowMs += 5_000) {
    watch.look();
    await turn();
  }
  expect(state.dead).toEqual([state.line]);
});
