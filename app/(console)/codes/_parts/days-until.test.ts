import { expect, test } from "vitest";
import { daysUntil } from "./days-until";

test("the days of a trend end with today and leave none out, over the ends of months and leap days (INC-3)", () => {
  expect(daysUntil("2028-03-01", 3)).toEqual(["2028-02-28", "2028-02-29", "2028-03-01"]);
  const days = daysUntil("2026-01-10", 90);
  expect([days.length, days[0], new Set(days).size]).toEqual([90, "2025-10-13", 90]);
});
