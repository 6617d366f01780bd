import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FoldPolicy, GapPolicy } from "../pipeline/definition";
import { firesBetween } from "./next-fires";

/**
 * An oracle that shares nothing with the code under test: it walks real time in steps, reads the
 * wall clock from the runtime's zone data, and matches fields by a rule of its own.
 */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Field {
  readonly text: string;
  readonly matches: (value: number) => boolean;
}
interface Generated {
  readonly fields: readonly [Field, Field, Field, Field, Field];
  readonly gap: GapPolicy;
  readonly fold: FoldPolicy;
}
interface Scene {
  readonly zone: string;
  readonly around: string;
  /** How closely the oracle watches; five minutes unless the zone changes at an odd one. */
  readonly stepMs?: number;
}

/** Days on which the zone's clock changes, and one quiet zone. */
const SCENES: readonly Scene[] = [
  { zone: "America/New_York", around: "2026-03-08" },
  { zone: "America/New_York", around: "2026-11-01" },
  { zone: "Europe/Paris", around: "2026-03-29" },
  { zone: "Europe/Paris", around: "1996-10-27" },
  { zone: "Australia/Lord_Howe", around: "2026-04-05" },
  { zone: "Australia/Lord_Howe", around: "2026-10-04" },
  { zone: "America/Santiago", around: "2026-04-05" },
  { zone: "America/Santiago", around: "2026-09-06" },
  { zone: "Pacific/Apia", around: "2011-12-30" },
  { zone: "Africa/Casablanca", around: "2026-02-15" },
  { zone: "Africa/Casablanca", around: "2026-03-22" },
  { zone: "America/St_Johns", around: "2006-04-02", stepMs: MINUTE_MS },
  { zone: "America/St_Johns", around: "2006-10-29", stepMs: MINUTE_MS },
  { zone: "Asia/Kathmandu", around: "1986-01-01" },
  { zone: "America/New_York", around: "2096-11-04" },
];

const formatters = new Map<string, Intl.DateTimeFormat>();
function wallOf(zone: string, instantMs: number): number {
  let formatter = formatters.get(zone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    });
    formatters.set(zone, formatter);
  }
  const part: Record<string, number> = {};
  for (const { type, value } of formatter.formatToParts(instantMs)) part[type] = Number(value);
  return Date.UTC(part.year ?? 0, (part.month ?? 1) - 1, part.day, part.hour, part.minute);
}

function matchesWall({ fields }: Generated, wallMs: number): boolean {
  const [minute, hour, day, month, weekday] = fields;
  const wall = new Date(wallMs);
  if (!minute.matches(wall.getUTCMinutes()) || !hour.matches(wall.getUTCHours()) || !month.matches(wall.getUTCMonth() + 1)) return false;
  const onDay = day.matches(wall.getUTCDate());
  const onWeekday = weekday.matches(wall.getUTCDay());
  return day.text.startsWith("*") || weekday.text.startsWith("*") ? onDay && onWeekday : onDay || onWeekday;
}

const isCadence = ({ fields: [minute, hour] }: Generated) => minute.text.startsWith("*") || hour.text.startsWith("*");

interface Tick {
  readonly instant: number;
  readonly wall: number;
}

/** Each fixed wall time in the order of its passes, and the instants that stand for a missing one. */
function expectedFixed(schedule: Generated, ticks: readonly Tick[], stepMs: number): Set<number> {
  const passes = new Map<number, number[]>();
  const fires = new Set<number>();
  ticks.forEach(({ instant, wall }, index) => {
    if (matchesWall(schedule, wall)) passes.set(wall, [...(passes.get(wall) ?? []), instant]);
    const before = ticks[index - 1];
    if (before === undefined || schedule.gap === "skip") return;
    for (let missing = before.wall + stepMs; missing < wall; missing += stepMs) if (matchesWall(schedule, missing)) fires.add(instant);
  });
  for (const instants of passes.values()) {
    const kept = schedule.fold === "first" ? instants.slice(0, 1) : schedule.fold === "last" ? instants.slice(-1) : instants;
    for (const instant of kept) fires.add(instant);
  }
  return fires;
}

function expected(schedule: Generated, zone: string, from: number, to: number, stepMs: number): number[] {
  const ticks: Tick[] = [];
  // A day on each side, so that a repeated time's other pass is seen too.
  for (let instant = from - DAY_MS; instant <= to + DAY_MS; instant += stepMs) ticks.push({ instant, wall: wallOf(zone, instant) });
  const fires = isCadence(schedule)
    ? ticks.filter(({ wall }) => matchesWall(schedule, wall)).map(({ instant }) => instant)
    : [...expectedFixed(schedule, ticks, stepMs)];
  return fires.filter((instant) => instant > from && instant <= to).sort((a, b) => a - b);
}

const any: Field = { text: "*", matches: () => true };
const list = (values: number[]): Field => ({ text: values.join(","), matches: (value) => values.includes(value) });
const span = (from: number, to: number): Field => ({ text: `${from}-${to}`, matches: (value) => value >= from && value <= to });
const every = (step: number, min: number): Field => ({ text: `*/${step}`, matches: (value) => (value - min) % step === 0 });

const minutes = fc.oneof(
  fc
    .uniqueArray(
      fc.nat({ max: 11 }).map((n) => n * 5),
      { minLength: 1, maxLength: 3 },
    )
    .map(list),
  fc.constantFrom(every(5, 0), every(15, 0), every(20, 0), every(40, 0)),
);
const hours = fc.oneof(
  fc.constant(any),
  fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }).map(list),
  fc.uniqueArray(fc.nat({ max: 23 }), { minLength: 1, maxLength: 4 }).map(list),
  fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 19 })).map(([from, length]) => span(from, from + length)),
  fc.constantFrom(every(2, 0), every(5, 0)),
);
const days = fc.oneof({ weight: 4, arbitrary: fc.constant(any) }, fc.constantFrom(span(1, 31), span(1, 15), every(2, 1), list([1, 30])));
const weekdays = fc.oneof({ weight: 4, arbitrary: fc.constant(any) }, fc.constantFrom(span(1, 5), list([0]), list([6, 0])));
const schedules: fc.Arbitrary<Generated> = fc.record({
  fields: fc.tuple(minutes, hours, days, fc.constant(any), weekdays),
  gap: fc.constantFrom("shift" as const, "skip" as const),
  fold: fc.constantFrom("first" as const, "last" as const, "both" as const),
});

describe("fires equal those of a clock that is simply watched (SCH-2, SCH-5, P15)", () => {
  it.each(SCENES)("in $zone around $around, for any expression and policy (SCH-2, P15)", ({ zone, around, stepMs = 5 * MINUTE_MS }) => {
    fc.assert(
      fc.property(schedules, fc.integer({ min: -36, max: 12 }), (schedule, startHours) => {
        const from = Date.parse(`${around}T00:00:00Z`) + startHours * 3_600_000;
        const to = from + DAY_MS * 1.5;
        const cron = schedule.fields.map(({ text }) => text).join(" ");
        const timing = { cron, dialect: "vixie" as const, timezone: zone, gap: schedule.gap, fold: schedule.fold };
        expect(firesBetween(timing, new Date(from), new Date(to), 10_000).map(Number)).toEqual(expected(schedule, zone, from, to, stepMs));
      }),
      { numRuns: stepMs === MINUTE_MS ? 6 : 16 },
    );
  });
});
