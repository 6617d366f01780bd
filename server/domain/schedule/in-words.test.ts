import { describe, expect, it } from "vitest";
import type { CronDialect } from "../pipeline/definition";
import { inWords } from "./in-words";

const rows: readonly (readonly [string, CronDialect, string, string])[] = [
  ["*/5 * * * *", "vixie", "Every 5 minutes", "每隔 5 分钟"],
  ["0 2 * * *", "vixie", "At 02:00, every day", "每天，在 02:00"],
  ["@daily", "vixie", "At 00:00, every day", "每天，在 00:00"],
  ["@hourly", "vixie", "Every hour", "每小时"],
  ["0 9 29 2 *", "vixie", "At 09:00, on day 29 of the month, only in February", "在 09:00，限每月 29 号，仅于二月份"],
  ["0 9 * * 1-5", "vixie", "At 09:00, Monday through Friday", "在 09:00，星期一至星期五"],
  ["0 0 0 ? * 2-6", "quartz", "At 00:00, Monday through Friday", "在 00:00，星期一至星期五"],
  ["0 0 0 ? * 6#3", "quartz", "At 00:00, on the third Friday of the month", "在 00:00，限每月的第三个星期五"],
  ["0 0 0 LW * ?", "quartz", "At 00:00, on the last weekday of the month", "在 00:00，限每月的最后一个工作日"],
  ["0 0 0 L-2W * ?", "quartz", "At 00:00, day of month L-2W", "在 00:00，每月的 L-2W"],
];

describe("schedules in words (SCH-1, ECO-2)", () => {
  it.each(rows)("%j (%s) reads %j and %j (SCH-1)", (expression, dialect, english, chinese) => {
    expect(inWords(expression, dialect, "en")).toBe(english);
    expect(inWords(expression, dialect, "zh-CN")).toBe(chinese);
  });

  it.each([
    ["0 11 1-7 * FRI", "At 11:00, between day 1 and 7 of the month, or on Friday", "在 11:00，限每月的 1 号至 7 号之间，或星期五"],
    ["0 2 29 2 0", "At 02:00, on day 29 of the month, or on Sunday, only in February", "在 02:00，限每月 29 号，或星期日，仅于二月份"],
    ["0 0 1-31 * 4", "At 00:00, between day 1 and 31 of the month, or on Thursday", "在 00:00，限每月的 1 号至 31 号之间，或星期四"],
  ])("%j, a union of days, says or and never and (B10, B11, B14)", (expression, english, chinese) => {
    expect(inWords(expression, "vixie", "en")).toBe(english);
    expect(inWords(expression, "vixie", "zh-CN")).toBe(chinese);
  });

  it("an intersection of days says that both must hold (B11)", () => {
    expect(inWords("0 0 */2 * 1", "vixie", "en")).toBe("At 00:00, every 2 days in a month, but only on Monday");
    expect(inWords("0 0 */2 * 1", "vixie", "zh-CN")).toContain("且须为星期一");
  });

  it.each([
    ["*/40 * * * *", "At 0 and 40 minutes past the hour", "在整点后的第 0 和 40 分钟"],
    ["0 */18 * * *", "At 00:00 and 18:00, every day", "每天，在 00:00 和 18:00"],
    [
      "*/7 * * * *",
      "At 0, 7, 14, 21, 28, 35, 42, 49, and 56 minutes past the hour",
      "在整点后的第 0、7、14、21、28、35、42、49 和 56 分钟",
    ],
  ])("%j is told by what it matches, not as an even interval (B12)", (expression, english, chinese) => {
    expect(inWords(expression, "vixie", "en")).toBe(english);
    expect(inWords(expression, "vixie", "zh-CN")).toBe(chinese);
  });

  it("what cannot be read is shown as it is, so that no list breaks over one row (SCH-1)", () => {
    expect(inWords(" not a cron ", "vixie", "en")).toBe("not a cron");
  });
});
