import type { CronDialect } from "../pipeline/definition";
import type { DayRule, DayScope } from "./cron-days";

/** An expression that has been read: plain sets, ready to step through the calendar. */
export interface CronExpression {
  readonly dialect: CronDialect;
  /** As written, single spaces between the fields, nicknames kept. */
  readonly source: string;
  /** The fields as text, `@daily` and its like spelled out, seconds and year only if written. */
  readonly fields: CronFields;
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: readonly number[];
  readonly years: readonly number[] | null;
  readonly days: DayRule;
  readonly dayScope: DayScope;
  /**
   * Vixie's rule: a second, minute or hour field that starts with `*` makes a cadence, which keeps
   * its real rhythm through a clock change; anything else is a fixed time of day.
   */
  readonly isCadence: boolean;
}

export interface CronFields {
  readonly second: string | null;
  readonly minute: string;
  readonly hour: string;
  readonly dayOfMonth: string;
  readonly month: string;
  readonly dayOfWeek: string;
  readonly year: string | null;
}
