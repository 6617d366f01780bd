import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Clock } from "@/server/engine/context";
import { type WakeKind, Wheel } from "./wheel";

const START = new Date("2026-11-30T08:00:00.000Z").getTime();
let woken: string[];
let wheel: Wheel;
const clock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  woken = [];
  wheel = new Wheel(clock, (kind: WakeKind) => woken.push(`${kind} ${Date.now() - START}`));
});
afterEach(() => {
  wheel.stop();
  vi.useRealTimers();
});

const schedule = (id: string, atMs: number, version = 1) => ({ id, version, atMs: START + atMs });

describe("the leader's wheel (SCH-6)", () => {
  test("wakes at the exact millisecond, once for all that is due together", async () => {
    wheel.take(
      { schedules: [schedule("a", 1_234), schedule("b", 1_234), schedule("c", 61_007)], due: [{ kind: "retry", atMs: START + 1_234 }] },
      true,
    );
    await vi.advanceTimersByTimeAsync(120_000);
    expect(woken).toEqual(["fire 1234", "retry 1234", "fire 61007"]);
  });

  test("what is due already wakes at once, and says how late it was", async () => {
    wheel.take({ schedules: [schedule("a", -2_500)], due: [] }, true);
    await vi.advanceTimersByTimeAsync(0);
    expect(woken).toEqual(["fire 0"]);
    expect(wheel.report()).toMatchObject({ wheelLagMs: 2_500, timers: 0 });
    expect(wheel.report()).toMatchObject({ wheelLagMs: 0 });
  });

  test("an earlier timer that comes later is armed first", async () => {
    wheel.take({ schedules: [schedule("a", 60_000)], due: [] }, true);
    await vi.advanceTimersByTimeAsync(1_000);
    wheel.setSchedule("b", 1, START + 5_000);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(woken).toEqual(["fire 5000"]);
  });

  test("an edited schedule keeps one timer, and an older version never takes it back (B19)", async () => {
    wheel.setSchedule("a", 1, START + 5_000);
    wheel.setSchedule("a", 2, START + 9_000);
    wheel.setSchedule("a", 1, START + 5_000);
    expect(wheel.report().timers).toBe(1);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(woken).toEqual(["fire 9000"]);
  });

  test("a schedule that is gone from the whole picture is dropped, from a partial one it stays", async () => {
    wheel.take({ schedules: [schedule("a", 5_000), schedule("b", 6_000)], due: [] }, true);
    wheel.take({ schedules: [schedule("a", 5_000)], due: [] }, false);
    expect(wheel.report().timers).toBe(2);
    wheel.take({ schedules: [schedule("a", 5_000)], due: [] }, true);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(woken).toEqual(["fire 5000"]);
  });

  test("a moment that is read twice is one timer", async () => {
    const due = [{ kind: "wait" as const, atMs: START + 700 }];
    wheel.take({ schedules: [], due }, false);
    wheel.take({ schedules: [], due }, false);
    expect(wheel.report().timers).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(woken).toEqual(["wait 700"]);
  });

  test("a stopped wheel wakes nobody", async () => {
    wheel.take({ schedules: [schedule("a", 10)], due: [] }, true);
    wheel.stop();
    wheel.setSchedule("b", 1, START + 20);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(woken).toEqual([]);
  });
});
