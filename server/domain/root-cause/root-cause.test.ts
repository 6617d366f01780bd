import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addMinutes, type Burst, isOver, MOST_MINUTES } from "./burst";
import { addCounts, type Counted, NO_COUNTS } from "./counts";

const stack = (value: string | null, count: number): Counted => ({ dimension: "stack", value, count });
const START = Date.parse("2026-03-02T02:00:00.000Z");
const minute = (n: number) => new Date(START + n * 60_000).toISOString();
const fresh: Burst = { total: 0, peak: 0, minutes: [], counts: NO_COUNTS, burstAt: new Date(START) };

describe("counts by value (EXC-7)", () => {
  it.each([
    ["a value is counted on", [[stack("a", 2)], [stack("a", 3)]], { values: { a: 5 }, other: 0 }],
    ["the rarest gives way to others", [[stack("a", 5), stack("b", 1)], [stack("c", 2)]], { values: { a: 5, c: 2 }, other: 1 }],
    ["of equals the first by name stays", [[stack("b", 1), stack("c", 1), stack("a", 1)]], { values: { a: 1, b: 1 }, other: 1 }],
    ["what the batch left out is of the others", [[stack("a", 1), stack(null, 9)]], { values: { a: 1 }, other: 9 }],
  ] as const)("%s", (_name, batches, expected) => {
    expect(batches.reduce((counts, batch) => addCounts(counts, batch, 2), NO_COUNTS).stack).toEqual(expected);
  });

  it("whatever comes in whatever batches, no event is lost from the sum and no more values are kept than allowed (EXC-7)", () => {
    const batch = fc.array(fc.record({ value: fc.constantFrom("a", "b", "c", "d", "e", null), count: fc.integer({ min: 1, max: 9 }) }));
    fc.assert(
      fc.property(fc.array(batch), fc.integer({ min: 1, max: 4 }), (batches, most) => {
        const { values, other } = batches.reduce(
          (counts, each) =>
            addCounts(
              counts,
              each.map(({ value, count }) => stack(value, count)),
              most,
            ),
          NO_COUNTS,
        ).stack;
        const sum = Object.values(values).reduce((a, b) => a + b, other);
        expect(sum).toBe(batches.flat().reduce((a, { count }) => a + count, 0));
        expect(Object.keys(values).length).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe("the life of a burst (EXC-7)", () => {
  it.each([
    ["50 in a minute are no burst", 50, START],
    ["51 are one, until that minute's end", 51, START + 60_000],
  ])("%s", (_name, events, at) => {
    expect(addMinutes(fresh, [{ minute: minute(0), events }]).burstAt.getTime()).toBe(at);
  });

  it("a minute that comes in two batches is judged as a whole", () => {
    const half = addMinutes(fresh, [{ minute: minute(0), events: 30 }]);
    const whole = addMinutes(half, [{ minute: minute(0), events: 30 }]);
    expect(whole).toMatchObject({ total: 60, peak: 60, burstAt: new Date(START + 60_000) });
  });

  it("it is over after five minutes without another such minute, and not before", () => {
    expect(isOver(fresh, new Date(START + 299_999))).toBe(false);
    expect(isOver(fresh, new Date(START + 300_000))).toBe(true);
  });

  it("a burst of days keeps a bounded curve and its whole sum", () => {
    const days = Array.from({ length: 3_000 }, (_, n) => ({ minute: minute(n), events: 60 }));
    const burst = addMinutes(fresh, days);
    expect(burst.minutes).toHaveLength(MOST_MINUTES);
    expect(burst).toMatchObject({ total: 180_000, peak: 60 });
  });
});
