import { describe, expect, it } from "vitest";
import { isStalled, quietSince, stallOf } from "./stall";

const at = (minutes: number) => new Date(Date.UTC(2026, 4, 4, 8, minutes));

describe("a running node without a sign of progress", () => {
  it.each([
    [null, { afterMs: 300_000, action: "alert" }],
    [{ action: "kill" }, { afterMs: 300_000, action: "kill" }],
    [
      { after: "90s", action: "review" },
      { afterMs: 90_000, action: "review" },
    ],
    [{ after: "soon" }, { afterMs: 300_000, action: "alert" }],
  ] as const)("%j stands for %j (EXC-8)", (stored, expected) => {
    expect(stallOf(stored)).toEqual(expected);
  });

  it.each([
    [null, 4, false],
    [null, 5, true],
    [at(3), 7, false],
    [at(3), 8, true],
    [at(-10), 4, false],
  ] as const)("last line %s, looked at in minute %i: stalled is %s (EXC-8)", (lastLineAt, minute, stalled) => {
    expect(isStalled({ startedAt: at(0), lastLineAt }, stallOf(null), at(minute))).toBe(stalled);
    expect(quietSince({ startedAt: at(0), lastLineAt }) >= at(0)).toBe(true);
  });
});
