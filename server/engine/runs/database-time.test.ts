import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DatabaseTime } from "./database-time";

describe("the database's time by a worker's own clock", () => {
  it("is never ahead of the database and never goes back, however late its answers come (P22)", () => {
    const step = fc.record({
      passesMs: fc.double({ min: 0, max: 400, noNaN: true }),
      waitsMs: fc.double({ min: 0, max: 300, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), fc.integer({ min: 0, max: 10_000 }), (steps, offsetMs) => {
        let trueMs = 0;
        const time = new DatabaseTime(() => trueMs);
        const database = () => offsetMs + 1_000_000 + trueMs;
        let last = 0;
        for (const { passesMs, waitsMs } of steps) {
          trueMs += passesMs;
          const told = new Date(Math.floor(database()));
          // The answer is on its way, or this process is busy.
          trueMs += waitsMs;
          time.hear(told);
          for (let looks = 0; looks < 3; looks++) {
            trueMs += passesMs / 3;
            const now = time.now()?.getTime() ?? 0;
            expect(now).toBeLessThanOrEqual(database());
            expect(now).toBeGreaterThanOrEqual(last);
            last = now;
          }
        }
      }),
    );
  });

  it("goes on with the monotonic clock between two answers, and is not known when none came for long (P22)", () => {
    let monotonicMs = 50;
    const time = new DatabaseTime(() => monotonicMs);
    expect(time.now()).toBeNull();
    time.hear(new Date(10_000));
    monotonicMs += 7.9;
    expect(time.now()).toEqual(new Date(10_007));
    monotonicMs += 2_000;
    expect(time.now()).toBeNull();
    time.hear(new Date(9_000));
    expect(time.now()).toEqual(new Date(10_007));
  });

  it("follows the database's clock where that is set back (P22)", () => {
    const time = new DatabaseTime(() => 0);
    time.hear(new Date(100_000));
    time.hear(new Date(40_000));
    expect(time.now()).toEqual(new Date(40_000));
  });
});
