import { toString as describeCron } from "cronstrue";
import "cronstrue/locales/zh_CN.js";
import type { CronDialect } from "../pipeline/definition";
import { parseCron } from "./cron";
import type { CronExpression, CronFields } from "./cron-expression";
import { FIELD_SPECS } from "./cron-field";
import { stepWarning } from "./cron-warnings";

export const WORD_LOCALES = ["en", "zh-CN"] as const;
export type WordLocale = (typeof WORD_LOCALES)[number];

const LIBRARY_LOCALE = { en: "en", "zh-CN": "zh_CN" } as const satisfies Record<WordLocale, string>;
const WORDS = {
  en: {
    or: "or",
    but: "but only",
    only: /^only /,
    everyDay: (text: string) => `${text}, every day`,
    day: (text: string) => `day of month ${text}`,
  },
  "zh-CN": { or: "或", but: "且须为", only: /^仅/, everyDay: (text: string) => `每天, ${text}`, day: (text: string) => `每月的 ${text}` },
} as const;

/** The library reads an uneven step as "every 40 minutes"; a list says what it really matches. */
function withoutUnevenSteps(cron: CronExpression): CronFields {
  const { fields, dialect } = cron;
  const weekday = dialect === "vixie" ? FIELD_SPECS.vixieWeekday : FIELD_SPECS.quartzWeekday;
  const plain = (text: string, spec: Parameters<typeof stepWarning>[1], values: readonly number[]) =>
    stepWarning(text, spec, dialect) === null ? text : values.join(",");
  const weekdays = Array.from({ length: 7 }, (_, day) => day).filter((day) => (cron.days.weekdayMask & (1 << day)) !== 0);
  return {
    ...fields,
    second: fields.second === null ? null : plain(fields.second, FIELD_SPECS.second, cron.seconds),
    minute: plain(fields.minute, FIELD_SPECS.minute, cron.minutes),
    hour: plain(fields.hour, FIELD_SPECS.hour, cron.hours),
    month: plain(fields.month, FIELD_SPECS.month, cron.months),
    dayOfWeek: plain(fields.dayOfWeek, weekday, dialect === "vixie" ? weekdays : weekdays.map((day) => day + 1)),
  };
}

function render(fields: CronFields, dialect: CronDialect, locale: WordLocale): string {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek, year } = fields;
  const text = [second, minute, hour, dayOfMonth, month, dayOfWeek, year].filter((field) => field !== null).join(" ");
  return describeCron(text, {
    locale: LIBRARY_LOCALE[locale],
    use24HourTimeFormat: true,
    dayOfWeekStartIndexZero: dialect === "vixie",
  });
}

/** The library does not know every day rule of Quartz, such as L-2W: then the rule is named as written. */
function renderOrName(fields: CronFields, dialect: CronDialect, locale: WordLocale): string {
  try {
    return render(fields, dialect, locale);
  } catch {
    const anyDay = render({ ...fields, dayOfMonth: "*", dayOfWeek: "*" }, dialect, locale);
    return `${anyDay}, ${WORDS[locale].day(fields.dayOfMonth)}`;
  }
}

/** Puts "or" (or "but only") between the two day rules; the library joins them in a way that reads as "and". */
function renderBothDays(fields: CronFields, cron: CronExpression, locale: WordLocale): string {
  const byDay = render({ ...fields, dayOfWeek: "*" }, cron.dialect, locale).split(", ");
  const byWeekday = render({ ...fields, dayOfMonth: "*" }, cron.dialect, locale).split(", ");
  let start = 0;
  while (start < Math.min(byDay.length, byWeekday.length) && byDay[start] === byWeekday[start]) start++;
  let end = 0;
  while (end < Math.min(byDay.length, byWeekday.length) - start && byDay.at(-1 - end) === byWeekday.at(-1 - end)) end++;
  const days = byDay.slice(start, byDay.length - end).join(", ");
  const weekdays = byWeekday
    .slice(start, byWeekday.length - end)
    .join(", ")
    .replace(WORDS[locale].only, "");
  const link = cron.dayScope === "union" ? WORDS[locale].or : WORDS[locale].but;
  const joined = locale === "zh-CN" ? `${days}, ${link}${weekdays}` : `${days}, ${link} ${weekdays}`;
  return [...byDay.slice(0, start), joined, ...byDay.slice(byDay.length - end)].join(", ");
}

/** Chinese text has full-width commas and no double blanks. */
function polish(text: string, locale: WordLocale): string {
  if (locale === "en") return text;
  return text
    .replace(/\s*,\s*/g, "，")
    .replace(/，和/g, "和")
    .replace(/(\d)，(?=\d)/g, "$1、")
    .replace(/(星期.|[一二三四五六七八九十]月)，(?=星期|[一二三四五六七八九十]+月)/g, "$1、")
    .replace(/\s{2,}/g, " ")
    .replace(/([\u4e00-\u9fff])(\d)/g, "$1 $2")
    .replace(/(\d)([\u4e00-\u9fff])/g, "$1 $2")
    .replace(/([\u4e00-\u9fff])\s+([\u4e00-\u9fff])/g, "$1$2")
    .replace(/([\u4e00-\u9fff])\s+([\u4e00-\u9fff])/g, "$1$2");
}

/**
 * A cron expression as a sentence in the interface's language. A union of days reads with "or",
 * an uneven step as the times that it matches. An expression that cannot be read is returned as it is.
 */
export function inWords(expression: string, dialect: CronDialect, locale: WordLocale): string {
  const parsed = parseCron(expression, dialect);
  if (!parsed.ok) return expression.trim();
  const { cron } = parsed;
  const fields = withoutUnevenSteps(cron);
  if (cron.dayScope === "union" || cron.dayScope === "intersection") return polish(renderBothDays(fields, cron, locale), locale);
  const text = renderOrName(fields, dialect, locale);
  const isDaily =
    cron.dayScope === "every_day" && fields.month === "*" && fields.year === null && !/[*/]/.test(fields.minute + fields.hour);
  return polish(isDaily ? WORDS[locale].everyDay(text) : text, locale);
}
