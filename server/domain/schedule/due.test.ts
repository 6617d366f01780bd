import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MISFIRE_POLICIES, type MisfirePolicy } from "../pipeline/definition";
import { type FireLimits, type FirePlan, planFires } from "./due";
import { firesBetween, type ScheduleTiming } from "./next-fires";

const timing = (cron: string, timezone = "UTC"): ScheduleTiming => ({ cron, dialect: "vixie", timezone, gap: "shift", fold: "first" });
const BEGINNING = new Date("2026-01-01T00:00:00Z");

interface Ask {
  readonly cron?: string;
  readonly misfire?: MisfirePolicy;
  readonly cursor: string;
  readonly now: string;
  readonly activeFrom?: Date;
  readonly limits?: Partial<FireLimits>;
}
const plan = ({ cron = "* * * * *", misfire = "latest", cursor, now, activeFrom = BEGINNING, limits }: Ask) =>
  planFires({ schedule: timing(cron), misfire, cursor: new Date(cursor), now: new Date(now), activeFrom, limits });
const told = ({ fires }: FirePlan) =>
  fires.map((fire) => `${fire.fireAt.toISOString().slice(11, 16)} ${fire.verdict === "missed" ? fire.reason : fire.verdict}`);

describe("fires that are due (SCH-3, SCH-5)", () => {
  it("a fire within a second is on time, and the plan names the next one (SCH-5)", () => {
    const result = plan({ cursor: "2026-06-01T11:59:00Z", now: "2026-06-01T12:00:00.020Z" });
    expect(told(result)).toEqual(["12:00 on_time"]);
    expect(result.fires[0]?.lateMs).toBe(20);
    expect(result.cursor).toEqual(new Date("2026-06-01T12:00:00Z"));
    expect(result.nextFireAt).toEqual(new Date("2026-06-01T12:01:00Z"));
  });

  it("nothing due leaves the cursor where it is (B17)", () => {
    const result = plan({ cursor: "2026-06-01T12:00:00Z", now: "2026-06-01T12:00:59Z" });
    expect(result).toMatchObject({
      fires: [],
      cursor: new Date("2026-06-01T12:00:00Z"),
      hasMore: false,
      nextFireAt: new Date("2026-06-01T12:01:00Z"),
    });
  });

  it("a scheduler that was frozen for 61 or 125 s loses no fire: each is run or missed with a reason (B16)", () => {
    expect(told(plan({ cursor: "2026-06-01T12:00:00Z", now: "2026-06-01T12:01:01.500Z" }))).toEqual(["12:01 late"]);
    expect(told(plan({ cursor: "2026-06-01T12:00:00Z", now: "2026-06-01T12:02:05Z" }))).toEqual(["12:01 superseded", "12:02 late"]);
    expect(told(plan({ cursor: "2026-06-01T12:00:00Z", now: "2026-06-01T12:02:05Z", misfire: "all" }))).toEqual([
      "12:01 caught_up",
      "12:02 late",
    ]);
    expect(told(plan({ cursor: "2026-06-01T12:00:00Z", now: "2026-06-01T12:02:05Z", misfire: "none" }))).toEqual([
      "12:01 policy_none",
      "12:02 late",
    ]);
  });

  it("`latest` makes up the newest missed fire only (SCH-3)", () => {
    expect(told(plan({ cron: "0 * * * *", cursor: "2026-06-01T08:00:00Z", now: "2026-06-01T12:30:00Z" }))).toEqual([
      "09:00 superseded",
      "10:00 superseded",
      "11:00 superseded",
      "12:00 caught_up",
    ]);
  });

  it("`all` is bounded by its window and its count, the newest fires first (SCH-3)", () => {
    const limits = { catchUpWindowMs: 3 * 3_600_000, catchUpCount: 2 };
    const ask = { cron: "0 * * * *", misfire: "all", cursor: "2026-06-01T07:00:00Z", now: "2026-06-01T12:30:00Z", limits } as const;
    expect(told(plan(ask))).toEqual([
      "08:00 outside_window",
      "09:00 outside_window",
      "10:00 over_count",
      "11:00 caught_up",
      "12:00 caught_up",
    ]);
  });

  it.each([
    ["none", { on_time: 1, late: 0, caught_up: 0, missed: 480 }],
    ["latest", { on_time: 1, late: 0, caught_up: 0, missed: 480 }],
    ["all", { on_time: 1, late: 0, caught_up: 99, missed: 381 }],
  ] as const)("after eight hours off, policy %s accounts for every minute and the next fire comes (B23)", (misfire, counts) => {
    const result = plan({ misfire, cursor: "2026-06-01T00:00:00Z", now: "2026-06-01T08:01:00.100Z" });
    expect(result.counts).toEqual(counts);
    expect(result.nextFireAt).toEqual(new Date("2026-06-01T08:02:00Z"));
  });

  it("three weeks off are judged in several plans, and the last one ends at now (B23)", () => {
    const now = new Date("2026-06-22T00:00:30Z");
    const totals = { on_time: 0, late: 0, caught_up: 0, missed: 0 };
    let cursor = new Date("2026-06-01T00:00:00Z");
    for (let more = true; more; ) {
      const result = planFires({ schedule: timing("* * * * *"), misfire: "all", cursor, now, activeFrom: BEGINNING });
      for (const verdict of ["on_time", "late", "caught_up", "missed"] as const) totals[verdict] += result.counts[verdict];
      expect(result.hasMore ? result.cursor > cursor : true).toBe(true);
      cursor = result.cursor;
      more = result.hasMore;
    }
    expect(cursor).toEqual(new Date("2026-06-22T00:00:00Z"));
    expect(totals).toEqual({ on_time: 0, late: 1, caught_up: 99, missed: 30_140 });
  });

  it("a tightened schedule has no past: fires exist only from when its version became active (B24)", () => {
    const ask = { misfire: "all", cursor: "2026-05-27T00:00:00Z", now: "2026-06-01T12:00:10Z" } as const;
    const activeFrom = new Date("2026-06-01T12:00:05Z");
    expect(plan({ ...ask, activeFrom })).toMatchObject({ fires: [], nextFireAt: new Date("2026-06-01T12:01:00Z") });
  });

  it("the fire at the very moment of activation belongs to the new version (B24)", () => {
    const activeFrom = new Date("2026-06-01T12:00:00Z");
    expect(told(plan({ cursor: "2026-05-27T00:00:00Z", now: "2026-06-01T12:00:00.500Z", activeFrom }))).toEqual(["12:00 on_time"]);
  });

  it("a clock that steps back repeats no fire and keeps the next one after the cursor (F14)", () => {
    const result = plan({ cursor: "2026-06-01T12:10:00Z", now: "2026-06-01T12:00:30Z" });
    expect(result).toMatchObject({ fires: [], cursor: new Date("2026-06-01T12:10:00Z"), nextFireAt: new Date("2026-06-01T12:11:00Z") });
  });

  it("a schedule whose years are over has no next fire (SCH-1)", () => {
    const schedule: ScheduleTiming = { ...timing("0 0 0 1 1 ? 2026"), dialect: "quartz" };
    const result = planFires({
      schedule,
      misfire: "latest",
      cursor: BEGINNING,
      now: new Date("2026-06-01T00:00:00Z"),
      activeFrom: BEGINNING,
    });
    expect(result).toMatchObject({ fires: [], nextFireAt: null });
  });

  it("expected fires equal the sum of the verdicts, each fire once, whatever the outage, policy and limits (SCH-5)", () => {
    const asks = fc.record({
      cron: fc.constantFrom("* * * * *", "*/7 * * * *", "30 2 * * *", "*/20 * * * * *", "0 6 * * MON"),
      zone: fc.constantFrom("UTC", "America/New_York", "Australia/Lord_Howe"),
      misfire: fc.constantFrom(...MISFIRE_POLICIES),
      cursor: fc.integer({ min: Date.UTC(2026, 2, 1), max: Date.UTC(2026, 10, 30) }),
      outageMs: fc.oneof(fc.nat({ max: 200_000 }), fc.nat({ max: 6 * 3_600_000 }), fc.nat({ max: 12 * 86_400_000 })),
      limits: fc.record({
        catchUpCount: fc.nat({ max: 30 }),
        catchUpWindowMs: fc.nat({ max: 86_400_000 }),
        maxFires: fc.integer({ min: 1, max: 400 }),
      }),
    });
    fc.assert(
      fc.property(asks, ({ cron, zone, misfire, cursor, outageMs, limits }) => {
        const schedule = timing(cron, zone);
        const now = new Date(cursor + outageMs);
        const result = planFires({ schedule, misfire, cursor: new Date(cursor), now, activeFrom: BEGINNING, limits });
        const expected = firesBetween(schedule, new Date(cursor), result.hasMore ? result.cursor : now, 1_000_000);
        expect(result.fires.map(({ fireAt }) => fireAt)).toEqual(expected);
        expect(Object.values(result.counts).reduce((sum, count) => sum + count, 0)).toBe(expected.length);
        expect(result.counts.caught_up).toBeLessThanOrEqual(misfire === "none" ? 0 : misfire === "latest" ? 1 : limits.catchUpCount);
      }),
      { numRuns: 120 },
    );
  });
});
