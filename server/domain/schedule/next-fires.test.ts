import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DomainError } from "../failure";
import { firesBetween, nextFires, type ScheduleTiming } from "./next-fires";

const timing = (cron: string, timezone: string, rest: Partial<ScheduleTiming> = {}): ScheduleTiming => ({
  cron,
  dialect: "vixie",
  timezone,
  gap: "shift",
  fold: "first",
  ...rest,
});
const next = (schedule: ScheduleTiming, after: string, count = 1) =>
  nextFires(schedule, new Date(after), count).map((fire) => fire.toISOString().replace(":00.000Z", "Z"));
const between = (schedule: ScheduleTiming, from: string, to: string) =>
  firesBetween(schedule, new Date(from), new Date(to), 1_000).map((fire) => fire.toISOString().replace(":00.000Z", "Z"));

describe("fixed times at a clock change (SCH-2)", () => {
  it("a time in the gap fires once, at the first valid instant, and `skip` leaves it out (SCH-2, P15)", () => {
    const day = ["2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"] as const;
    expect(between(timing("30 2 * * *", "America/New_York"), ...day)).toEqual(["2026-03-08T07:00Z"]);
    expect(between(timing("30 2 * * *", "America/New_York", { gap: "skip" }), ...day)).toEqual([]);
  });

  it("several times in one gap, and one at its end, are one fire: a fire time is unique (SCH-2, SCH-5)", () => {
    const schedule = timing("0,15,30 2,3 * * *", "America/New_York");
    expect(between(schedule, "2026-03-08T05:00:00Z", "2026-03-08T12:00:00Z")).toEqual([
      "2026-03-08T07:00Z",
      "2026-03-08T07:15Z",
      "2026-03-08T07:30Z",
    ]);
  });

  it.each([
    ["first", ["2026-11-01T05:30Z"]],
    ["last", ["2026-11-01T06:30Z"]],
    ["both", ["2026-11-01T05:30Z", "2026-11-01T06:30Z"]],
  ] as const)("a repeated time fires as fold %s says (SCH-2)", (fold, expected) => {
    const schedule = timing("30 1 * * *", "America/New_York", { fold });
    expect(between(schedule, "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z")).toEqual(expected);
  });

  it("a list of repeated times stays in the order of the instants under fold both (SCH-2)", () => {
    const schedule = timing("0,30 1 * * *", "America/New_York", { fold: "both" });
    expect(between(schedule, "2026-11-01T04:00:00Z", "2026-11-01T08:00:00Z")).toEqual([
      "2026-11-01T05:00Z",
      "2026-11-01T05:30Z",
      "2026-11-01T06:00Z",
      "2026-11-01T06:30Z",
    ]);
  });

  it("a weekly job keeps its hour over the autumn change, whether computed before or after it (B03)", () => {
    const schedule = timing("0 6 * * MON", "America/New_York");
    expect(next(schedule, "2026-10-30T12:00:00Z")).toEqual(["2026-11-02T11:00Z"]);
    expect(next(schedule, "2026-11-01T06:30:00Z")).toEqual(["2026-11-02T11:00Z"]);
    expect(between(schedule, "2026-10-30T00:00:00Z", "2026-11-02T12:00:00Z")).toEqual(["2026-11-02T11:00Z"]);
  });

  it.each(["2026-10-25T00:05:00+02:00", "2026-10-25T01:05:00+02:00"])(
    "five past midnight in Paris after %s is the next day's (B04)",
    (after) => {
      expect(next(timing("5 0 * * *", "Europe/Paris"), after)).toEqual(["2026-10-25T23:05Z"]);
    },
  );
});

describe("a cadence at a clock change (SCH-2, P15)", () => {
  it("a quarter-hour cadence fires every real quarter through gap and fold (P15)", () => {
    const schedule = timing("*/15 * * * *", "America/New_York");
    for (const [from, to] of [
      ["2026-03-08T05:00:00Z", "2026-03-08T09:00:00Z"],
      ["2026-11-01T04:00:00Z", "2026-11-01T08:00:00Z"],
    ] as const) {
      const fires = firesBetween(schedule, new Date(from), new Date(to), 1_000).map(Number);
      expect(fires).toHaveLength(16);
      expect(fires.slice(1).every((at, index) => at - (fires[index] ?? 0) === 900_000)).toBe(true);
    }
  });

  it("an hourly job fires each real hour, in both passes of the repeated one, whatever fold says (P15)", () => {
    const schedule = timing("0 * * * *", "America/New_York", { fold: "first" });
    expect(between(schedule, "2026-11-01T04:30:00Z", "2026-11-01T08:00:00Z")).toEqual([
      "2026-11-01T05:00Z",
      "2026-11-01T06:00Z",
      "2026-11-01T07:00Z",
      "2026-11-01T08:00Z",
    ]);
  });

  it("a cadence within one hour has no fire on the day that lacks the hour, and two rounds where it comes twice (P15)", () => {
    const schedule = timing("*/30 2 * * *", "Europe/Paris");
    expect(between(schedule, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z")).toEqual([]);
    expect(between(schedule, "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z")).toHaveLength(4);
  });
});

describe("unusual zones (SCH-2, P15)", () => {
  it("Lord Howe moves by half an hour (P15)", () => {
    const schedule = timing("15 2 * * *", "Australia/Lord_Howe");
    expect(between(schedule, "2026-10-03T13:30:00Z", "2026-10-04T13:00:00Z")).toEqual(["2026-10-03T15:30Z"]);
    const repeated = timing("45 1 * * *", "Australia/Lord_Howe", { fold: "both" });
    expect(between(repeated, "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z")).toEqual(["2026-04-04T14:45Z", "2026-04-04T15:15Z"]);
  });

  it("Santiago has no midnight on the day of its gap: the daily job runs at one (P15)", () => {
    expect(between(timing("0 0 * * *", "America/Santiago"), "2026-09-05T12:00:00Z", "2026-09-06T12:00:00Z")).toEqual(["2026-09-06T04:00Z"]);
    expect(between(timing("30 23 * * *", "America/Santiago"), "2026-04-04T12:00:00Z", "2026-04-05T12:00:00Z")).toEqual([
      "2026-04-05T02:30Z",
    ]);
  });

  it("Apia lost a whole day in 2011: its fire moves to the first instant after it, or is skipped (P15)", () => {
    const lost = ["2011-12-30T09:00:00Z", "2011-12-30T21:00:00Z"] as const;
    expect(between(timing("0 12 * * *", "Pacific/Apia"), ...lost)).toEqual(["2011-12-30T10:00Z"]);
    expect(between(timing("0 12 * * *", "Pacific/Apia", { gap: "skip" }), ...lost)).toEqual([]);
    expect(between(timing("0 0 30 12 *", "Pacific/Apia"), ...lost)).toEqual(["2011-12-30T10:00Z"]);
  });

  it("Casablanca sets its clock back for Ramadan, twice in spring (P15)", () => {
    const schedule = timing("30 2 * * *", "Africa/Casablanca");
    expect(between(schedule, "2026-02-14T12:00:00Z", "2026-02-15T12:00:00Z")).toEqual(["2026-02-15T01:30Z"]);
    expect(between(schedule, "2026-03-21T12:00:00Z", "2026-03-22T12:00:00Z")).toEqual(["2026-03-22T02:00Z"]);
  });

  it("Kathmandu is 5:45 ahead and never changes (P15)", () => {
    expect(next(timing("0 6 * * *", "Asia/Kathmandu"), "2026-01-01T00:00:00Z", 2)).toEqual(["2026-01-01T00:15Z", "2026-01-02T00:15Z"]);
  });
});

describe("far and near ends (SCH-1)", () => {
  it("29 February is found from 2026 and over the year 2100 (B13)", () => {
    expect(next(timing("0 9 29 2 *", "Europe/Paris"), "2026-11-30T00:00:00Z")).toEqual(["2028-02-29T08:00Z"]);
    expect(next(timing("0 9 29 2 *", "Europe/Paris"), "2096-03-01T00:00:00Z")).toEqual(["2104-02-29T08:00Z"]);
  });

  it("29 February or Sundays gives each Sunday of February (B14)", () => {
    expect(next(timing("0 2 29 2 0", "Asia/Shanghai"), "2026-11-30T00:00:00Z", 2)).toEqual(["2027-02-06T18:00Z", "2027-02-13T18:00Z"]);
  });

  it("the rarest Quartz rule, a fifth Sunday in February, is found within its 40 years (B13)", () => {
    const schedule = timing("0 0 12 ? 2 1#5", "America/New_York", { dialect: "quartz" });
    expect(next(schedule, "2088-03-01T00:00:00Z")).toEqual(["2128-02-29T17:00Z"]);
  });

  it("a schedule whose years are over has no next fire (SCH-1)", () => {
    expect(next(timing("0 0 0 1 1 ? 2020", "America/New_York", { dialect: "quartz" }), "2026-01-01T00:00:00Z")).toEqual([]);
  });

  it("a wrong expression or zone is refused with its field (SEC-3)", () => {
    expect(() => nextFires(timing("0 0 31 2 *", "UTC"), new Date(0), 1)).toThrow(DomainError);
    expect(() => nextFires(timing("0 0 * * *", "Mars/Base"), new Date(0), 1)).toThrow(/Mars\/Base/);
  });

  it("a limit of fires is kept, and an empty or backward window holds none (SCH-5)", () => {
    const schedule = timing("* * * * *", "UTC");
    expect(firesBetween(schedule, new Date("2026-01-01T00:00:00Z"), new Date("2026-02-01T00:00:00Z"), 5)).toHaveLength(5);
    expect(between(schedule, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z")).toEqual([]);
    expect(between(schedule, "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z")).toEqual([]);
  });

  it("the window's start is left out and its end is in, so that windows side by side share no fire (SCH-5)", () => {
    expect(between(timing("* * * * *", "UTC"), "2026-01-01T00:00:00Z", "2026-01-01T00:02:00Z")).toEqual([
      "2026-01-01T00:01Z",
      "2026-01-01T00:02Z",
    ]);
  });
});

describe("always (SCH-1, SCH-2)", () => {
  const zones = [
    "America/New_York",
    "Europe/Paris",
    "Australia/Lord_Howe",
    "America/St_Johns",
    "America/Santiago",
    "Africa/Casablanca",
    "Asia/Kathmandu",
    "Asia/Shanghai",
    "UTC",
  ];
  const instants = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2060, 0, 1) });
  const schedules = fc.record({
    cron: fc.constantFrom(
      "*/5 * * * *",
      "30 2 * * *",
      "0 0 * * *",
      "15,45 1-3 * * *",
      "0 11 1-7 * FRI",
      "0 9 29 2 *",
      "*/20 30 1 * * *",
      "59 23 31 12 *",
    ),
    dialect: fc.constant("vixie" as const),
    timezone: fc.constantFrom(...zones),
    gap: fc.constantFrom("shift" as const, "skip" as const),
    fold: fc.constantFrom("first" as const, "last" as const, "both" as const),
  });

  it("next fires lie strictly after the instant and ascend strictly (SCH-1)", () => {
    fc.assert(
      fc.property(schedules, instants, (schedule, after) => {
        const fires = [after, ...nextFires(schedule, new Date(after), 6).map(Number)];
        expect(fires).toHaveLength(7);
        expect(fires.every((at, index) => index === 0 || at > (fires[index - 1] ?? 0))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("asking again from any fire gives the same following ones: nothing depends on where one starts (B03)", () => {
    fc.assert(
      fc.property(schedules, instants, fc.nat({ max: 4 }), (schedule, after, cut) => {
        const whole = nextFires(schedule, new Date(after), 6);
        const start = whole[cut] ?? new Date(after);
        expect(nextFires(schedule, start, 5 - cut)).toEqual(whole.slice(cut + 1));
      }),
      { numRuns: 150 },
    );
  });

  it("a daily time comes 22 to 26 hours after the one before: never at once, never two days later (B04)", () => {
    const daily = fc.record({ hour: fc.nat({ max: 23 }), minute: fc.nat({ max: 59 }), zone: fc.constantFrom(...zones) });
    fc.assert(
      fc.property(daily, instants, ({ hour, minute, zone }, after) => {
        const [first, second] = nextFires(timing(`${minute} ${hour} * * *`, zone), new Date(after), 2).map(Number);
        const hours = ((second ?? 0) - (first ?? 0)) / 3_600_000;
        expect(hours).toBeGreaterThanOrEqual(22);
        expect(hours).toBeLessThanOrEqual(26);
      }),
      { numRuns: 300 },
    );
  });
});
