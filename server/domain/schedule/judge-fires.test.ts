import fc from "fast-check";
import { expect, test } from "vitest";
import { MISFIRE_POLICIES, OVERLAP_POLICIES } from "../pipeline/definition";
import { judgeFires } from "./judge-fires";
import { firesBetween, type ScheduleTiming } from "./next-fires";

const START = Date.UTC(2026, 9, 20);
const HOUR = 3_600_000;
const timing = (cron: string, timezone: string): ScheduleTiming => ({ cron, dialect: "vixie", timezone, gap: "shift", fold: "first" });

test("each expected fire has exactly one verdict, and a run exactly where the verdict says so (SCH-5)", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("* * * * *", "*/7 * * * *", "0 2 * * *", "30 1,2 * * *"),
      fc.constantFrom("UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe"),
      fc.constantFrom(...MISFIRE_POLICIES),
      fc.constantFrom(...OVERLAP_POLICIES),
      fc.integer({ min: 0, max: 14 * 24 * HOUR }),
      fc.integer({ min: 0, max: 30 * HOUR }),
      fc.record({ active: fc.integer({ min: 0, max: 3 }), waiting: fc.integer({ min: 0, max: 12 }) }),
      (cron, timezone, misfire, overlap, afterMs, offMs, live) => {
        const schedule = timing(cron, timezone);
        const cursor = new Date(START + afterMs);
        const now = new Date(cursor.getTime() + offMs);
        const judged = judgeFires({ schedule, misfire, overlap, cursor, activeFrom: new Date(START), now, live });
        expect(judged.fires.map(({ fireAt }) => fireAt)).toEqual(firesBetween(schedule, cursor, now, 10_000));
        for (const { verdict, reason, start } of judged.fires) {
          const runs = verdict === "ran" || verdict === "late" || verdict === "caught_up";
          expect(start !== null).toBe(runs);
          expect(reason === null).toBe(runs);
        }
        expect(judged.fires.filter(({ start }) => start?.cancelPrevious).length).toBeLessThanOrEqual(1);
        expect(judged.nextFireAt === null || judged.nextFireAt > now).toBe(true);
      },
    ),
  );
});

test("whatever came while nobody looked is judged the same in one go and in steps", () => {
  const input = {
    schedule: timing("* * * * *", "UTC"),
    misfire: "latest" as const,
    overlap: "allow" as const,
    activeFrom: new Date(START),
    live: { active: 0, waiting: 0 },
  };
  const now = new Date(START + 8 * HOUR);
  const whole = judgeFires({ ...input, cursor: new Date(START), now });
  const steps: (typeof whole.fires)[number][] = [];
  let cursor = new Date(START);
  for (let hasMore = true; hasMore; ) {
    const step = judgeFires({ ...input, cursor, now, limits: { maxFires: 37 } });
    steps.push(...step.fires);
    ({ cursor, hasMore } = step);
  }
  expect(steps).toEqual(whole.fires);
});
