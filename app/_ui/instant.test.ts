import { describe, expect, it } from "vitest";
import { fullText, offsetText, relativeTo, shareOfDay, shortText, spanText } from "./instant";

const at = (iso: string) => Date.parse(iso);

describe("an instant in the chosen zone (ECO-2)", () => {
  const now = at("2026-11-30T14:00:00Z");

  it.each([
    ["2026-11-30T01:02:03.004Z", "UTC", "second", "01:02:03"],
    ["2026-11-30T01:02:03.004Z", "UTC", "ms", "01:02:03.004"],
    ["2026-11-30T01:02:03Z", "UTC", "minute", "01:02"],
    ["2026-11-29T23:59:59Z", "UTC", "second", "11-29 23:59:59"],
    ["2025-11-30T14:00:00Z", "UTC", "second", "2025-11-30 14:00:00"],
    ["2026-11-30T16:00:00Z", "Asia/Shanghai", "second", "12-01 00:00:00"],
  ] as const)("%s in %s to the %s is %s, without the parts that today shares", (iso, zone, precision, text) => {
    expect(shortText(at(iso), now, zone, precision)).toBe(text);
  });

  it.each([
    ["UTC", "UTC"],
    ["Asia/Shanghai", "UTC+8"],
    ["Asia/Kolkata", "UTC+5:30"],
    ["America/St_Johns", "UTC−3:30"],
    ["America/New_York", "UTC−5"],
  ])("%s stands beside a November time as %s", (zone, text) => {
    expect(offsetText(now, zone)).toBe(text);
  });

  it("the offset is that of the instant and not of today: New York's summer times say UTC−4", () => {
    expect(offsetText(at("2026-07-01T00:00:00Z"), "America/New_York")).toBe("UTC−4");
  });

  it("midnight is 00:00 and never 24:00", () => {
    expect(fullText(at("2026-11-30T00:00:00Z"), "UTC", "minute")).toBe("2026-11-30 00:00");
  });

  it("the two passes of a repeated hour differ by their offset", () => {
    const first = at("2026-11-01T05:30:00Z");
    const second = at("2026-11-01T06:30:00Z");
    expect(fullText(first, "America/New_York", "minute")).toBe(fullText(second, "America/New_York", "minute"));
    expect(offsetText(first, "America/New_York")).not.toBe(offsetText(second, "America/New_York"));
  });

  it("the day's share follows the wall clock of the zone", () => {
    expect(shareOfDay(at("2026-11-30T04:00:00Z"), "Asia/Shanghai")).toBe(0.5);
  });
});

describe("how far away an instant is", () => {
  it.each([
    [0, "now", 0],
    [-900, "now", 0],
    [-1_000, "secondsAgo", 1],
    [-119_999, "secondsAgo", 119],
    [-120_000, "minutesAgo", 2],
    [-7_199_999, "minutesAgo", 119],
    [-7_200_000, "hoursAgo", 2],
    [-172_800_000, "daysAgo", 2],
    [90_000, "inSeconds", 90],
    [600_000, "inMinutes", 10],
    [86_400_000, "inHours", 24],
    [259_200_000, "inDays", 3],
  ] as const)("%i ms is %s %i", (ms, key, n) => {
    expect(relativeTo(1_000_000_000_000 + ms, 1_000_000_000_000)).toEqual({ key, n });
  });
});

describe("a span of time in two units at most", () => {
  it.each([
    [0, "0ms"],
    [842.4, "842ms"],
    [4_240, "4.2s"],
    [9_960, "10s"],
    [59_400, "59s"],
    [59_600, "1m 00s"],
    [184_000, "3m 04s"],
    [3_599_600, "1h 00m"],
    [7_500_000, "2h 05m"],
    [86_400_000, "1d 00h"],
    [356_400_000, "4d 03h"],
    [-1_500, "−1.5s"],
  ])("%d ms reads %s", (ms, text) => {
    expect(spanText(ms)).toBe(text);
  });
});
