import { describe, expect, it } from "vitest";
import type { ScheduleTiming } from "./next-fires";
import { nextTransitions } from "./transitions";

const AFTER = new Date("2026-01-01T00:00:00Z");
const timing = (cron: string, rest: Partial<ScheduleTiming> = {}): ScheduleTiming => ({
  cron,
  dialect: "vixie",
  timezone: "America/New_York",
  gap: "shift",
  fold: "first",
  ...rest,
});
const effects = (schedule: ScheduleTiming) => nextTransitions(schedule, AFTER, 2).map(({ effect }) => effect);

describe("what the next clock changes will do (SCH-2)", () => {
  it("names the gap and the fold with their readings and offsets (SCH-2)", () => {
    expect(nextTransitions(timing("0 12 * * *"), AFTER, 2)).toEqual([
      {
        at: new Date("2026-03-08T07:00:00Z"),
        kind: "gap",
        wallBefore: "2026-03-08T02:00",
        wallAfter: "2026-03-08T03:00",
        offsetBeforeMinutes: -300,
        offsetAfterMinutes: -240,
        effect: { kind: "unaffected" },
      },
      {
        at: new Date("2026-11-01T06:00:00Z"),
        kind: "fold",
        wallBefore: "2026-11-01T02:00",
        wallAfter: "2026-11-01T01:00",
        offsetBeforeMinutes: -240,
        offsetAfterMinutes: -300,
        effect: { kind: "unaffected" },
      },
    ]);
  });

  it("a time in the gap is shifted or skipped, as chosen (SCH-2)", () => {
    const wallTimes = ["2026-03-08T02:30"];
    expect(effects(timing("30 2 * * *"))[0]).toEqual({ kind: "shifted", wallTimes, firesAt: [new Date("2026-03-08T07:00:00Z")] });
    expect(effects(timing("30 2 * * *", { gap: "skip" }))[0]).toEqual({ kind: "skipped", wallTimes });
  });

  it.each([
    ["first", "first_pass", ["2026-11-01T05:30:00Z"]],
    ["last", "last_pass", ["2026-11-01T06:30:00Z"]],
    ["both", "both_passes", ["2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"]],
  ] as const)("a repeated time under fold %s is shown as %s with its instants (SCH-2)", (fold, kind, instants) => {
    expect(effects(timing("30 1 * * *", { fold }))[1]).toEqual({
      kind,
      wallTimes: ["2026-11-01T01:30"],
      firesAt: instants.map((instant) => new Date(instant)),
    });
  });

  it("a cadence over all hours keeps its rhythm; one within the missing hour is shown as skipped (SCH-2, P15)", () => {
    expect(effects(timing("*/15 * * * *")).map(({ kind }) => kind)).toEqual(["keeps_cadence", "keeps_cadence"]);
    expect(effects(timing("*/30 2 * * *"))[0]).toEqual({ kind: "skipped", wallTimes: ["2026-03-08T02:00", "2026-03-08T02:30"] });
    expect(effects(timing("*/30 1 * * *"))[1]).toMatchObject({ kind: "both_passes" });
  });

  it("a zone without clock changes has none to show (SCH-2)", () => {
    expect(nextTransitions(timing("30 2 * * *", { timezone: "Asia/Shanghai" }), AFTER, 2)).toEqual([]);
  });
});
