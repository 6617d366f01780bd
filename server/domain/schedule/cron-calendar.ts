import type { DayRule } from "./cron-days";
import type { CronExpression } from "./cron-expression";

const DAY_MS = 86_400_000;
/** The rarest rule, a fifth weekday in a leap February, can rest for 40 years across 2100. */
const HORIZON_YEARS = 41;
/** 28 years without a century break hold every combination of leap year and first weekday. */
const SAMPLE_FIRST_YEAR = 2000;
const SAMPLE_YEARS = 28;

const daysInMonth = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate();
const weekdayOf = (year: number, month: number, day: number) => new Date(Date.UTC(year, month - 1, day)).getUTCDay();

function nearestWorkingDay(year: number, month: number, day: number, length: number): number {
  const weekday = weekdayOf(year, month, day);
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === length ? day - 2 : day + 1;
  return day;
}

function dayOfMonthMask(rule: DayRule, year: number, month: number, length: number): number {
  let mask = rule.dayMask;
  for (const back of rule.fromEnd) if (back < length) mask |= 1 << (length - back - 1);
  for (const day of rule.nearest) if (day <= length) mask |= 1 << (nearestWorkingDay(year, month, day, length) - 1);
  for (const back of rule.nearestFromEnd) if (back < length) mask |= 1 << (nearestWorkingDay(year, month, length - back, length) - 1);
  return mask;
}

function dayOfWeekMask(rule: DayRule, firstWeekday: number, length: number): number {
  let mask = 0;
  const firstDayOf = (weekday: number) => ((weekday - firstWeekday + 7) % 7) + 1;
  for (let weekday = 0; weekday < 7; weekday++) {
    if ((rule.weekdayMask & (1 << weekday)) === 0) continue;
    for (let day = firstDayOf(weekday); day <= length; day += 7) mask |= 1 << (day - 1);
  }
  for (const { weekday, nth } of rule.nth) {
    const day = firstDayOf(weekday) + (nth - 1) * 7;
    if (day <= length) mask |= 1 << (day - 1);
  }
  for (const weekday of rule.last) {
    const first = firstDayOf(weekday);
    mask |= 1 << (first + Math.floor((length - first) / 7) * 7 - 1);
  }
  return mask;
}

/** The days of a month that match, bit n-1 for day n. */
export function matchingDays(rule: DayRule, year: number, month: number): number {
  const length = daysInMonth(year, month);
  const inMonth = length === 31 ? 0x7fffffff : (1 << length) - 1;
  const days = dayOfMonthMask(rule, year, month, length);
  const weekdays = dayOfWeekMask(rule, weekdayOf(year, month, 1), length);
  return (rule.combine === "and" ? days & weekdays : days | weekdays) & inMonth;
}

/** Whether any date at all matches; decided without a clock. */
export function canEverFire(cron: Pick<CronExpression, "days" | "months" | "years">): boolean {
  const years = cron.years ?? Array.from({ length: SAMPLE_YEARS }, (_, index) => SAMPLE_FIRST_YEAR + index);
  return years.some((year) => cron.months.some((month) => matchingDays(cron.days, year, month) !== 0));
}

const firstAtLeast = (values: readonly number[], least: number) => values.find((value) => value >= least);

/** The first matching second of a day at or after the given one; null if the day has no more. */
function nextSecondOfDay(cron: CronExpression, secondOfDay: number): number | null {
  const [firstSecond = 0] = cron.seconds;
  const [firstMinute = 0] = cron.minutes;
  const hourNow = Math.floor(secondOfDay / 3600);
  const minuteNow = Math.floor(secondOfDay / 60) % 60;
  if (cron.hours.includes(hourNow)) {
    const second = cron.minutes.includes(minuteNow) ? firstAtLeast(cron.seconds, secondOfDay % 60) : undefined;
    if (second !== undefined) return hourNow * 3600 + minuteNow * 60 + second;
    const minute = firstAtLeast(cron.minutes, minuteNow + 1);
    if (minute !== undefined) return hourNow * 3600 + minute * 60 + firstSecond;
  }
  const hour = firstAtLeast(cron.hours, hourNow + 1);
  return hour === undefined ? null : hour * 3600 + firstMinute * 60 + firstSecond;
}

/** The first matching date at or after the given one, as midnight; null beyond the horizon. */
function nextDate(cron: CronExpression, year: number, month: number, day: number): number | null {
  const lastYear = cron.years === null ? year + HORIZON_YEARS : (cron.years.at(-1) ?? 0);
  let firstDay = day;
  let firstMonth = month;
  for (let at = year; at <= lastYear; at++) {
    if (cron.years === null || cron.years.includes(at)) {
      for (const candidate of cron.months) {
        if (candidate < firstMonth) continue;
        const below = candidate === firstMonth ? (1 << (firstDay - 1)) - 1 : 0;
        const mask = matchingDays(cron.days, at, candidate) & ~below;
        if (mask !== 0) return Date.UTC(at, candidate - 1, 32 - Math.clz32(mask & -mask));
      }
    }
    firstMonth = 1;
    firstDay = 1;
  }
  return null;
}

/**
 * The first matching wall-clock time at or after `wallMs`, both as milliseconds of that
 * wall-clock reading in UTC; null if there is none within the horizon. Knows nothing of zones.
 */
export function nextWallTime(cron: CronExpression, wallMs: number): number | null {
  const secondMs = Math.ceil(wallMs / 1000) * 1000;
  const midnight = Math.floor(secondMs / DAY_MS) * DAY_MS;
  const start = new Date(midnight);
  const today = nextDate(cron, start.getUTCFullYear(), start.getUTCMonth() + 1, start.getUTCDate());
  if (today === null) return null;
  const second = nextSecondOfDay(cron, today === midnight ? (secondMs - midnight) / 1000 : 0);
  if (second !== null) return today + second * 1000;
  const tomorrow = new Date(today + DAY_MS);
  const date = nextDate(cron, tomorrow.getUTCFullYear(), tomorrow.getUTCMonth() + 1, tomorrow.getUTCDate());
  const first = nextSecondOfDay(cron, 0);
  return date === null || first === null ? null : date + first * 1000;
}
