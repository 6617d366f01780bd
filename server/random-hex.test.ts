import { expect, it } from "vitest";
import { randomHex } from "./random-hex";

it("random bytes are never given twice, across pages too, and have the length that was asked for", () => {
  const given = Array.from({ length: 2_000 }, () => randomHex(16));
  expect(new Set(given).size).toBe(2_000);
  expect(new Set(given.map((text) => text.length))).toEqual(new Set([32]));
  expect(given.join("")).not.toContain("0".repeat(32));
  expect(randomHex(5_000).length).toBe(10_000);
});
