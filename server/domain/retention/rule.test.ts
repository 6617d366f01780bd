import { describe, expect, test } from "vitest";
import { expiredBefore, expiredMonths, IDEMPOTENCY_DAYS, monthOf, RETENTION } from "./rule";

describe("what is past its time (STO-2)", () => {
  test("a month goes when its last instant is older than its time, not before", () => {
    const parts = ["runs_2026_08", "runs_2026_07", "node_runs_2026_07", "runs_2026_09", "runs"];
    const names = (now: string) => expiredMonths(parts, 90, new Date(now)).map(({ name }) => name);
    expect(names("2026-10-29T23:59:59.999Z")).toEqual([]);
    expect(names("2026-10-30T00:00:00.000Z")).toEqual(["2026_07"]);
    expect(names("2026-11-30T00:00:00.000Z")).toEqual(["2026_07", "2026_08"]);
  });

  test("what is kept for good has no end", () => {
    expect(expiredBefore(null, new Date())).toBeNull();
    expect(expiredMonths(["runs_2001_01"], null, new Date())).toEqual([]);
  });

  test.each([
    ["runs_2026_12", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
    ["run_events_2028_02", "2028-02-01T00:00:00.000Z", "2028-03-01T00:00:00.000Z"],
  ])("%s begins at %s and ends at %s", (partition, from, to) => {
    expect([monthOf(partition)?.from.toISOString(), monthOf(partition)?.to.toISOString()]).toEqual([from, to]);
  });

  test("no setting reaches into the time in which a repeated trigger is the same run (IDM-1)", () => {
    expect(RETENTION.runs.leastDays).toBeGreaterThan(IDEMPOTENCY_DAYS);
    for (const { defaultDays, leastDays } of Object.values(RETENTION)) expect(defaultDays).toBeGreaterThanOrEqual(leastDays);
  });
});
