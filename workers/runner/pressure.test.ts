import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { judgePressure, readPressure } from "./pressure";

test.each([
  [0.8, 0.1, null, null],
  [0.801, 0.1, null, "disk"],
  [0.79, 0.1, "disk", "disk"],
  [0.78, 0.1, "disk", null],
  [0.1, 0.93, null, "memory"],
  [0.1, 0.9, "memory", "memory"],
  [0.1, 0.9, "disk", null],
  [0.9, 0.95, null, "disk"],
  [null, null, "disk", null],
] as const)("disk at %s and memory at %s after %s means %s (WRK-3)", (diskUsed, memoryUsed, before, refusing) => {
  expect(judgePressure({ diskUsed, memoryUsed }, before)).toBe(refusing);
});

test("this machine's own shares lie between nothing and everything (WRK-1)", async () => {
  const { diskUsed, memoryUsed } = await readPressure(tmpdir());
  for (const share of [diskUsed, memoryUsed ?? 0.5]) {
    expect(share).toBeGreaterThanOrEqual(0);
    expect(share).toBeLessThanOrEqual(1);
  }
});
