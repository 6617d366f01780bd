import type { CronDialect } from "../pipeline/definition";
import { CronRefusal, expandTerms, FIELD_SPECS, parseTerms, parseValue } from "./cron-field";

/** On which days of a month an expression fires; the month's length and first weekday do the rest. */
export interface DayRule {
  /** Bit n-1 stands for day n. */
  readonly dayMask: number;
  /** Days counted back from the end of the month: 0 is the last one (`L`), 3 is `L-3`. */
  readonly fromEnd: readonly number[];
  /** Working days nearest to a day (`15W`). */
  readonly nearest: readonly number[];
  /** Working days nearest to a day counted back from the end (`LW`, `L-2W`). */
  readonly nearestFromEnd: readonly number[];
  /** Bit n stands for weekday n, Sunday is 0. */
  readonly weekdayMask: number;
  /** The nth such weekday of a month (`6#3`). */
  readonly nth: readonly { readonly weekday: number; readonly nth: number }[];
  /** The last such weekday of a month (`6L`). */
  readonly last: readonly number[];
  readonly combine: "or" | "and";
}

/** How the two day fields restrict: neither, one of them, a union or an intersection. */
export type DayScope = "every_day" | "days" | "weekdays" | "union" | "intersection";

const ALL_DAYS = 0x7fffffff;
const ALL_WEEKDAYS = 0x7f;

interface DayOfMonth {
  dayMask: number;
  fromEnd: number[];
  nearest: number[];
  nearestFromEnd: number[];
}

interface DayOfWeek {
  weekdayMask: number;
  nth: { weekday: number; nth: number }[];
  last: number[];
}

function countBack(text: string): number {
  const back = Number(text === "" ? 0 : text);
  if (back > 30)
    throw new CronRefusal("before_month", `day of month: L-${back} reaches before the month; use L-1 to L-30`, { text: `L-${back}` });
  return back;
}

function dayOfMonthTerm(term: string, rule: DayOfMonth): boolean {
  const fromEnd = /^L(?:-(\d{1,2}))?(W)?$/i.exec(term);
  if (fromEnd !== null) {
    const back = countBack(fromEnd[1] ?? "");
    (fromEnd[2] === undefined ? rule.fromEnd : rule.nearestFromEnd).push(back);
    return true;
  }
  const nearest = /^(\d{1,2})W$/i.exec(term);
  if (nearest === null) return false;
  rule.nearest.push(parseValue(nearest[1] ?? "", FIELD_SPECS.dayOfMonth));
  return true;
}

function parseDayOfMonth(text: string, dialect: CronDialect): DayOfMonth {
  const rule: DayOfMonth = { dayMask: 0, fromEnd: [], nearest: [], nearestFromEnd: [] };
  const plain = dialect === "quartz" ? text.split(",").filter((term) => !dayOfMonthTerm(term, rule)) : text.split(",");
  if (plain.length === 0) return rule;
  const values = expandTerms(parseTerms(plain.join(","), FIELD_SPECS.dayOfMonth, dialect), FIELD_SPECS.dayOfMonth);
  for (const day of values) rule.dayMask |= 1 << (day - 1);
  return rule;
}

function weekdayTerm(term: string, rule: DayOfWeek): boolean {
  if (/^L$/i.test(term)) {
    rule.weekdayMask |= 1 << 6;
    return true;
  }
  const last = /^(\d|[a-z]{3})L$/i.exec(term);
  if (last !== null) {
    rule.last.push(parseValue(last[1] ?? "", FIELD_SPECS.quartzWeekday) - 1);
    return true;
  }
  const nth = /^(\w+)#(\w*)$/.exec(term);
  if (nth === null) return false;
  if (!/^[1-5]$/.test(nth[2] ?? ""))
    throw new CronRefusal("no_such_week", `day of week: "${term}" names no week of the month; use #1 to #5`, { text: term });
  rule.nth.push({ weekday: parseValue(nth[1] ?? "", FIELD_SPECS.quartzWeekday) - 1, nth: Number(nth[2]) });
  return true;
}

function parseDayOfWeek(text: string, dialect: CronDialect): DayOfWeek {
  const rule: DayOfWeek = { weekdayMask: 0, nth: [], last: [] };
  const spec = dialect === "quartz" ? FIELD_SPECS.quartzWeekday : FIELD_SPECS.vixieWeekday;
  const plain = dialect === "quartz" ? text.split(",").filter((term) => !weekdayTerm(term, rule)) : text.split(",");
  if (plain.length === 0) return rule;
  for (const day of expandTerms(parseTerms(plain.join(","), spec, dialect), spec))
    rule.weekdayMask |= 1 << ((day - (dialect === "quartz" ? 1 : 0)) % 7);
  return rule;
}

/** Whether a field holds a sign that only Quartz knows, and is no mere garbage. */
function isQuartzOnly(text: string): boolean {
  const unnamed = text.toLowerCase().replace(/[a-z]{3}/g, (name) => (name in FIELD_SPECS.vixieWeekday.names ? "" : name));
  return /[lw#?]/.test(unnamed) && /^[\dlw#?*,/-]+$/.test(unnamed);
}

function refuseWrongDialect(days: string, weekdays: string, dialect: CronDialect): void {
  if (dialect === "vixie") {
    if (isQuartzOnly(days) || isQuartzOnly(weekdays)) {
      throw new CronRefusal(
        "wrong_dialect",
        "L, W, # and ? belong to the Quartz dialect; set dialect to quartz and write six fields, such as 0 0 0 L * ?",
      );
    }
    return;
  }
  if (days !== "?" && weekdays !== "?") {
    const fix = weekdays === "*" ? "day of week" : "day of month";
    throw new CronRefusal(
      "both_day_fields",
      `Quartz takes only one of day of month and day of week; write ? for the other (here probably ${fix})`,
      { field: fix },
    );
  }
  if (days === "?" && weekdays === "?") {
    throw new CronRefusal("no_day_field", "both day fields are ?; write * for day of month to mean every day");
  }
}

/** Reads both day fields together, since each dialect has its own rule for combining them. */
export function parseDays(days: string, weekdays: string, dialect: CronDialect): { rule: DayRule; scope: DayScope } {
  refuseWrongDialect(days, weekdays, dialect);
  const anyDay: DayOfMonth = { dayMask: ALL_DAYS, fromEnd: [], nearest: [], nearestFromEnd: [] };
  const anyWeekday: DayOfWeek = { weekdayMask: ALL_WEEKDAYS, nth: [], last: [] };
  const dayRule = days === "?" ? anyDay : parseDayOfMonth(days, dialect);
  const weekdayRule = weekdays === "?" ? anyWeekday : parseDayOfWeek(weekdays, dialect);
  // Vixie's rule looks at the first character only: `1-31` restricts, `*/2` does not.
  const starred = dialect === "quartz" || days.startsWith("*") || weekdays.startsWith("*");
  const rule: DayRule = { ...dayRule, ...weekdayRule, combine: starred ? "and" : "or" };
  return { rule, scope: scopeOf(dayRule, weekdayRule, rule.combine) };
}

function scopeOf(days: DayOfMonth, weekdays: DayOfWeek, combine: "or" | "and"): DayScope {
  if (combine === "or") return "union";
  const allDays = days.dayMask === ALL_DAYS;
  const allWeekdays = weekdays.weekdayMask === ALL_WEEKDAYS;
  if (allDays) return allWeekdays ? "every_day" : "weekdays";
  return allWeekdays ? "days" : "intersection";
}
