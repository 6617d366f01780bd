import { describe, expect, it } from "vitest";
import { everyMinute, isDuring } from "./in-time";

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 2, minute));
const minute = (n: number, events: number) => ({ minute: at(n).toISOString(), events });

describe("a burst beside an alert (EXC-7)", () => {
  it.each([
    ["within it", at(10), at(20), at(12), at(13), true],
    ["it begins while the alert lasts", at(10), at(20), at(5), at(10), true],
    ["it is over before", at(10), at(20), at(21), null, false],
    ["it begins after", at(10), null, at(1), at(9), false],
    ["both go on", at(10), null, at(1), null, true],
  ])("%s", (_name, openedAt, endedAt, from, until, expected) => {
    expect(isDuring({ openedAt, endedAt }, from, until)).toBe(expected);
  });
});

describe("the minutes of a burst (EXC-7)", () => {
  it("a minute without a failure stands between the others", () => {
    expect(everyMinute([minute(3, 60), minute(5, 70)], 10).map(({ events }) => events)).toEqual([60, 0, 70]);
  });

  it("the newest are kept, and of none there is none", () => {
    expect(everyMinute([minute(0, 1), minute(30, 2)], 3).map(({ events }) => events)).toEqual([0, 0, 2]);
    expect(everyMinute([], 3)).toEqual([]);
  });
});
