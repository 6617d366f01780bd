import { Cron } from "croner";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CronDialect } from "../pipeline/definition";
import { parseCron } from "./cron";
import { nextWallTime } from "./cron-calendar";

const accepted = (expression: string, dialect: CronDialect = "vixie") => {
  const result = parseCron(expression, dialect);
  if (!result.ok) throw new Error(`${expression}: ${result.issues[0]?.message}`);
  return result;
};
const refusal = (expression: string, dialect: CronDialect = "vixie") => {
  const result = parseCron(expression, dialect);
  return result.ok ? null : result.issues[0];
};
const warnings = (expression: string, dialect: CronDialect = "vixie") => accepted(expression, dialect).warnings.map(({ code }) => code);

/** The first matching wall-clock times from a date on, as text. */
function walls(expression: string, from: string, count: number, dialect: CronDialect = "vixie"): string[] {
  const { cron } = accepted(expression, dialect);
  const found: string[] = [];
  let at: number | null = Date.parse(`${from}Z`);
  while (found.length < count) {
    at = nextWallTime(cron, at);
    if (at === null) break;
    found.push(new Date(at).toISOString().slice(0, 16));
    at += 1_000;
  }
  return found;
}

describe("what is refused, and with which advice (SCH-1, SCH-2)", () => {
  it.each([
    ["0 0 31 2 *", "never_fires", "choose a day that exists"],
    ["0 0 30 2 *", "never_fires", "no year has day 30 in month 2"],
    ["0 0 31 4,6,9,11 *", "never_fires", "no year has day 31"],
    ["* * * *", "field_count", "has 4 fields; write five fields"],
    ["60 * * * *", "out_of_range", "minute: 60 is above 59; use 0-59"],
    ["0 24 * * *", "out_of_range", "hour: 24 is above 23"],
    ["0 0 0 * *", "out_of_range", "day of month: 0 is below 1"],
    ["0 0 * 13 *", "out_of_range", "month: 13 is above 12"],
    ["0 0 * * 8", "out_of_range", "day of week: 8 is above 7"],
    ["*/90 * * * *", "step_too_large", "use a step up to 60"],
    ["0 */25 * * *", "step_too_large", "use a step up to 24"],
    ["*/0 * * * *", "bad_step", "is not a number from 1"],
    ["5-1 * * * *", "backward_range", "runs backwards; write 1-5"],
    ["0 0 * * fri-sun", "backward_range", "write fri-7"],
    ["5/15 * * * *", "open_step", "write 5-59/"],
    ["", "empty", "write five fields"],
    ["   \t ", "empty", "write five fields"],
    ["garbage", "field_count", "has 1 field"],
    ["a b c d e", "not_a_value", '"a" is not a value'],
    ["1,,2 * * * *", "empty_part", "remove the extra comma"],
    ["1.5 * * * *", "not_a_value", '"1.5" is not a value'],
    ["-1 * * * *", "not_a_value", "is not a value"],
    ["1-2-3 * * * *", "bad_range", "is not a range"],
    ["*/2/3 * * * *", "unreadable_part", "cannot be read"],
    ["0 0 * foo *", "not_a_value", "or a name such as FEB"],
    ["0 0 * * monday", "not_a_value", "or a name such as MON"],
    ["@reboot", "reboot", "not a time"],
    ["@every 5m", "unknown_nickname", "use @yearly"],
    ["CRON_TZ=Asia/Shanghai 0 0 * * *", "zone_in_expression", "put it into timezone"],
    ["0 0 L * *", "wrong_dialect", "set dialect to quartz"],
    ["0 0 ? * 1", "wrong_dialect", "set dialect to quartz"],
    ["0 0 * * 5#2", "wrong_dialect", "set dialect to quartz"],
    ["0 0 12 * * * 2030", "field_count", "seven fields belong to the Quartz dialect"],
    ["* ".repeat(5_000), "too_long", "the limit is 200"],
  ])("%j is refused as %s, saying what to change (SCH-1)", (expression, code, advice) => {
    expect(refusal(expression)).toMatchObject({ code, message: expect.stringContaining(advice) });
  });

  it("all fields that are wrong are named at once, from the left (SEC-3)", () => {
    const result = parseCron("60 5-1 * foo *", "vixie");
    expect(result).toMatchObject({ ok: false, issues: [{ code: "out_of_range" }, { code: "backward_range" }, { code: "not_a_value" }] });
  });

  it.each([
    ["0 0 12 * * *", "both_day_fields"],
    ["0 0 12 1 * 2", "both_day_fields"],
    ["0 0 12 ? * ?", "no_day_field"],
    ["0 12 * * ?", "field_count"],
    ["0 0 0 30W 2 ?", "never_fires"],
    ["0 0 0 L-29 2 ?", "never_fires"],
    ["0 0 0 29 2 ? 2100", "never_fires"],
    ["0 0 0 ? * 6#6", "no_such_week"],
    ["0 0 0 L-31 * ?", "before_month"],
    ["0 0 0 ? * 0", "out_of_range"],
    ["0 0 0 1 1 ? 1969", "out_of_range"],
  ])("%j is refused by the Quartz dialect as %s (SCH-1)", (expression, code) => {
    expect(refusal(expression, "quartz")).toMatchObject({ code });
  });

  it("no text at all takes more than 50 ms or throws (P15)", () => {
    const alphabet = fc.constantFrom(..."0123456789*/,-LW#?@ \tabcFRIsun".split(""));
    const text = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.array(alphabet, { maxLength: 60 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, fc.constantFrom<CronDialect>("vixie", "quartz"), (expression, dialect) => {
        const elapsed = [1, 2, 3].map(() => {
          const start = performance.now();
          parseCron(expression, dialect);
          return performance.now() - start;
        });
        // The best of three: the machine's other work is not the parser's.
        expect(Math.min(...elapsed)).toBeLessThan(50);
      }),
      { numRuns: 500 },
    );
  });
});

describe("what is taken with a warning (B10, B12)", () => {
  it.each([
    ["*/7 * * * *", ["uneven_step"]],
    ["*/40 * * * *", ["uneven_step"]],
    ["*/59 * * * *", ["uneven_step"]],
    ["0 */18 * * *", ["uneven_step"]],
    ["0 0 */2 * *", ["uneven_step"]],
    ["0 0 1 */5 *", ["uneven_step"]],
    ["*/60 * * * *", ["single_value_step"]],
    ["*/15 * * * *", []],
    ["7-59/15 * * * *", []],
    ["0 8-18/3 * * *", []],
    ["0-10/2,30,45 * * * *", []],
    ["0 */6 * * *", []],
  ])("%j warns of %j, since a step starts anew with each hour or day (B12)", (expression, codes) => {
    expect(warnings(expression)).toEqual(codes);
  });

  it("the warning of an uneven step names the minutes that it does match (B12)", () => {
    expect(accepted("*/40 * * * *").warnings[0]?.message).toContain("matches 0, 40 and then starts anew");
  });

  it("both day fields filled in warn of a union, and of an intersection where one starts with a star (B10, B11)", () => {
    expect(warnings("0 11 1-7 * FRI")).toEqual(["day_union"]);
    expect(warnings("0 0 */1 * 4")).toEqual([]);
    expect(warnings("0 0 1-31 * 4")).toEqual(["day_union"]);
    expect(accepted("0 0 */2 * 1").warnings.map(({ code }) => code)).toContain("day_intersection");
  });
});

describe("Vixie meaning (SCH-1)", () => {
  it("days 1 to 7 and Fridays are a union: October 2026 has both sets (B10)", () => {
    const days = walls("0 11 1-7 * FRI", "2026-10-01T00:00", 11).map((wall) => wall.slice(5, 10));
    expect(days).toEqual(["10-01", "10-02", "10-03", "10-04", "10-05", "10-06", "10-07", "10-09", "10-16", "10-23", "10-30"]);
  });

  it("only a field that starts with a star is unrestricted: 1-31 with Thursday is daily, */1 is Thursdays (B11)", () => {
    expect(walls("0 0 1-31 * 4", "2026-10-01T00:00", 3)).toEqual(["2026-10-01T00:00", "2026-10-02T00:00", "2026-10-03T00:00"]);
    const thursdays = ["2026-10-01T00:00", "2026-10-08T00:00", "2026-10-15T00:00"];
    expect(walls("0 0 * * 4", "2026-10-01T00:00", 3)).toEqual(thursdays);
    expect(walls("0 0 */1 * 4", "2026-10-01T00:00", 3)).toEqual(thursdays);
  });

  it("29 February is found across 2100, which is no leap year (B13)", () => {
    expect(walls("0 9 29 2 *", "2026-11-30T00:00", 1)).toEqual(["2028-02-29T09:00"]);
    expect(walls("0 9 29 2 *", "2096-03-01T00:00", 1)).toEqual(["2104-02-29T09:00"]);
  });

  it("29 February or a Sunday fires on each Sunday of February too (B14)", () => {
    expect(walls("0 2 29 2 0", "2028-02-01T00:00", 6).map((wall) => wall.slice(0, 10))).toEqual([
      "2028-02-06",
      "2028-02-13",
      "2028-02-20",
      "2028-02-27",
      "2028-02-29",
      "2029-02-04",
    ]);
  });

  it("an uneven step starts anew each hour: */40 is :00 and :40 (B12)", () => {
    expect(walls("*/40 * * * *", "2026-01-01T00:00", 4).map((wall) => wall.slice(11))).toEqual(["00:00", "00:40", "01:00", "01:40"]);
  });

  it.each([
    ["@daily", "0 0 * * *"],
    ["@midnight", "0 0 * * *"],
    ["@hourly", "0 * * * *"],
    ["@weekly", "0 0 * * 0"],
    ["@monthly", "0 0 1 * *"],
    ["@yearly", "0 0 1 1 *"],
    ["@annually", "0 0 1 1 *"],
    ["0 0 * * 7", "0 0 * * 0"],
    ["0 0 * JAN-mar mon,WED", "0 0 * 1-3 1,3"],
    ["0 0 * * 5-7", "0 0 * * 0,5,6"],
    ["0\t0  *  *\t*", "0 0 * * *"],
  ])("%j means %j (SCH-1)", (written, plain) => {
    expect(walls(written, "2026-06-10T12:34", 20)).toEqual(walls(plain, "2026-06-10T12:34", 20));
  });

  it("six fields lead with seconds (SCH-1)", () => {
    const { cron } = accepted("*/20 30 4 * * *");
    const first = nextWallTime(cron, Date.parse("2026-01-01T04:30:01Z"));
    expect(first).toBe(Date.parse("2026-01-01T04:30:20Z"));
  });
});

describe("Quartz meaning (SCH-1)", () => {
  it.each([
    ["0 0 0 L * ?", ["01-31", "02-28", "03-31"]],
    ["0 0 0 L-3 * ?", ["01-28", "02-25", "03-28"]],
    ["0 0 0 LW * ?", ["01-30", "02-27", "03-31"]],
    ["0 0 0 15W * ?", ["01-15", "02-16", "03-16"]],
    ["0 0 0 1W * ?", ["01-01", "02-02", "03-02"]],
    ["0 0 0 ? * 6#3", ["01-16", "02-20", "03-20"]],
    ["0 0 0 ? * FRI#5", ["01-30", "05-29", "07-31"]],
    ["0 0 0 ? * 6L", ["01-30", "02-27", "03-27"]],
    ["0 0 0 ? * L", ["01-03", "01-10", "01-17"]],
    ["0 0 0 ? * 1", ["01-04", "01-11", "01-18"]],
    ["0 0 0 ? * FRI-MON", ["01-02", "01-03", "01-04"]],
    ["0 0 0 10/10 * ?", ["01-10", "01-20", "01-30"]],
  ])("%j fires on %j of 2026 (SCH-1)", (expression, days) => {
    expect(walls(expression, "2026-01-01T00:00", 3, "quartz").map((wall) => wall.slice(5, 10))).toEqual(days);
  });

  it("the year field ends a schedule (SCH-1)", () => {
    expect(walls("0 0 0 1 1 ? 2027-2028", "2026-05-01T00:00", 5, "quartz")).toEqual(["2027-01-01T00:00", "2028-01-01T00:00"]);
  });

  it("an hour range may wrap over midnight (SCH-1)", () => {
    expect(walls("0 0 22-1 * * ?", "2026-01-01T12:00", 4, "quartz").map((wall) => wall.slice(11))).toEqual([
      "22:00",
      "23:00",
      "00:00",
      "01:00",
    ]);
  });
});

describe("two independent readers agree (SCH-1)", () => {
  const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
  const range = (min: number, max: number) =>
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const field = (min: number, max: number) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant("*") },
      number(min, max),
      range(min, max),
      fc.array(number(min, max), { minLength: 2, maxLength: 4 }).map((values) => values.join(",")),
      fc.integer({ min: 2, max: 7 }).map((step) => `*/${step}`),
    );
  const expressions = fc.tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6)).map((fields) => fields.join(" "));
  const starts = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2080, 0, 1) });

  it("the next times in UTC equal those of another library, whose day rule is set to Vixie's (SCH-1)", () => {
    fc.assert(
      fc.property(expressions, starts, (expression, start) => {
        const [, , days = "", , weekdays = ""] = expression.split(" ");
        const other = new Cron(expression, { timezone: "UTC", paused: true, domAndDow: days.startsWith("*") || weekdays.startsWith("*") });
        const expected = other.nextRuns(3, new Date(start)).map((date) => date.toISOString().slice(0, 16));
        const from = new Date(Math.floor(start / 1_000) * 1_000 + 1_000).toISOString().slice(0, 19);
        expect(walls(expression, from, 3)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});
