import { describe, expect, it } from "vitest";
import { validateSchedule } from "./validate-schedule";

const at = (cron: string, timezone: string) => validateSchedule({ cron, dialect: "vixie", timezone }, "spec.schedules[0]");

describe("a schedule at publish (SEC-3)", () => {
  it("a good one has no issue (SCH-1)", () => {
    expect(at("0 2 * * *", "Asia/Shanghai")).toEqual([]);
  });

  it("expression and zone are both named, with their places (SCH-2, B06)", () => {
    expect(at("0 0 31 2 *", "Mars/Base")).toEqual([
      {
        path: "spec.schedules[0].cron",
        code: "cron_never_fires",
        message: expect.stringContaining("never fires"),
        values: { text: "0 0 31 2 *", day: "31", month: "2" },
      },
      {
        path: "spec.schedules[0].timezone",
        code: "unknown_zone",
        message: expect.stringContaining("Mars/Base"),
        values: { text: "Mars/Base" },
      },
    ]);
  });
});
