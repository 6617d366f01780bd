import { describe, expect, it } from "vitest";
import { dayBounds, dayOf, readDay, shiftDay } from "./day";

const HOUR = 3_600_000;
const length = (day: string, zone: string) => {
  const { from, to } = dayBounds(day, zone);
  return (to.getTime() - from.getTime()) / HOUR;
};

describe("a day of the ledger (SCH-5)", () => {
  it("is the day of the chosen zone, not of UTC", () => {
    expect(dayOf(Date.parse("2026-03-01T18:00:00Z"), "Asia/Shanghai")).toBe("2026-03-02");
    expect(dayBounds("2026-03-02", "Asia/Shanghai").from.toISOString()).toBe("2026-03-01T16:00:00.000Z");
  });

  it("has 23 hours in spring and 25 in autumn, and loses or doubles no instant", () => {
    expect(length("2026-03-29", "Europe/Berlin")).toBe(23);
    expect(length("2026-10-25", "Europe/Berlin")).toBe(25);
    expect(dayBounds("2026-03-29", "Europe/Berlin").to).toEqual(dayBounds("2026-03-30", "Europe/Berlin").from);
  });

  it("begins at its first instant where midnight does not exist", () => {
    expect(dayBounds("2026-09-06", "America/Santiago").from.toISOString()).toBe("2026-09-06T04:00:00.000Z");
  });

  it.each(["", "2026-13-01", "2026-02-30", "yesterday", "2026-2-3"])("%j is no day", (text) => {
    expect(readDay(text)).toBeNull();
  });

  it("steps over the end of a month", () => {
    expect(shiftDay("2026-03-01", -1)).toBe("2026-02-28");
  });
});
