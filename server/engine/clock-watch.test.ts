import { expect, test } from "vitest";
import { ClockWatch } from "./clock-watch";

test("a clock that goes astray is told once, stays astray at the mark, and is told when it is right again (P22, F13)", async () => {
  const told: (number | null)[] = [];
  const offsets = [0, 1_999, 2_001, 5_000, 1_800, "no answer", 1_400, -3_600_000, 0];
  const watch = new ClockWatch({
    measure: async () => {
      const next = offsets.shift();
      if (typeof next !== "number") throw new Error("the database is away");
      return next;
    },
    onChange: (offsetMs) => told.push(offsetMs),
  });
  const astray: boolean[] = [];
  while (offsets.length > 0) {
    await watch.look();
    astray.push(watch.isAstray);
  }
  expect(told).toEqual([2_001, null, -3_600_000, null]);
  expect(astray).toEqual([false, false, true, true, true, true, false, true, false]);
});
