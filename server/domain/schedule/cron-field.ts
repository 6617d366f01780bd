import type { CronDialect } from "../pipeline/definition";

export const CRON_FIELD_NAMES = ["second", "minute", "hour", "day of month", "month", "day of week", "year"] as const;
export type CronFieldName = (typeof CRON_FIELD_NAMES)[number];

export const CRON_ISSUE_CODES = [
  "empty",
  "too_long",
  "field_count",
  "not_a_value",
  "unreadable_part",
  "empty_part",
  "out_of_range",
  "before_month",
  "no_such_week",
  "bad_range",
  "backward_range",
  "bad_step",
  "open_step",
  "step_too_large",
  "wrong_dialect",
  "both_day_fields",
  "no_day_field",
  "never_fires",
  "unknown_nickname",
  "reboot",
  "zone_in_expression",
] as const;
export type CronIssueCode = (typeof CRON_ISSUE_CODES)[number];

export const CRON_WARNING_CODES = ["uneven_step", "single_value_step", "day_union", "day_intersection"] as const;
export type CronWarningCode = (typeof CRON_WARNING_CODES)[number];

/** The facts of a message, so that a screen can say it in another language. */
export type CronFacts = Readonly<Record<string, string | number>>;

/** Why an expression is refused, and what to write instead. */
export interface CronIssue {
  readonly code: CronIssueCode;
  readonly message: string;
  readonly values: CronFacts;
}

/** What is legal and yet often not what its author means. */
export interface CronWarning {
  readonly code: CronWarningCode;
  readonly message: string;
  readonly values: CronFacts;
}

export interface FieldSpec {
  readonly name: CronFieldName;
  readonly min: number;
  readonly max: number;
  /** Names by value, such as `mon`; months and days of the week only. */
  readonly names?: Readonly<Record<string, number>>;
}

/** One comma-separated part of a field, as written. */
export interface FieldTerm {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly star: boolean;
}

/** Thrown within this folder only; `parseCron` turns it into data. */
export class CronRefusals extends Error {
  readonly issues: readonly CronIssue[];

  constructor(issues: readonly CronIssue[]) {
    super(issues.map(({ message }) => message).join("; "));
    this.name = "CronRefusals";
    this.issues = issues;
  }
}

export class CronRefusal extends CronRefusals {
  constructor(code: CronIssueCode, message: string, values: CronFacts = {}) {
    super([{ code, message, values }]);
    this.name = "CronRefusal";
  }
}

const MONTH_NAMES = { jan: 1, feb: 2, mar: 3, apr: 4, may: 5, jun: 6, jul: 7, aug: 8, sep: 9, oct: 10, nov: 11, dec: 12 } as const;
const VIXIE_WEEKDAY_NAMES = { sun: 0, mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6 } as const;
const QUARTZ_WEEKDAY_NAMES = { sun: 1, mon: 2, tue: 3, wed: 4, thu: 5, fri: 6, sat: 7 } as const;

export const FIELD_SPECS = {
  second: { name: "second", min: 0, max: 59 },
  minute: { name: "minute", min: 0, max: 59 },
  hour: { name: "hour", min: 0, max: 23 },
  dayOfMonth: { name: "day of month", min: 1, max: 31 },
  month: { name: "month", min: 1, max: 12, names: MONTH_NAMES },
  /** 0 and 7 are Sunday. */
  vixieWeekday: { name: "day of week", min: 0, max: 7, names: VIXIE_WEEKDAY_NAMES },
  /** 1 is Sunday, 7 is Saturday. */
  quartzWeekday: { name: "day of week", min: 1, max: 7, names: QUARTZ_WEEKDAY_NAMES },
  year: { name: "year", min: 1970, max: 2199 },
} as const satisfies Record<string, FieldSpec>;

const rangeOf = (spec: FieldSpec) => `${spec.min}-${spec.max}`;

/** How many different values a whole field has; Vixie's 7 is Sunday again. */
export const fieldSize = (spec: FieldSpec) => (spec.name === "day of week" ? 7 : spec.max - spec.min + 1);

/** A number or a name of the field; refuses anything else with what to write instead. */
export function parseValue(text: string, spec: FieldSpec): number {
  const named = spec.names?.[text.toLowerCase()];
  if (named !== undefined) return named;
  if (!/^\d{1,4}$/.test(text)) {
    const names = spec.names === undefined ? "" : ` or a name such as ${Object.keys(spec.names)[1]?.toUpperCase()}`;
    throw new CronRefusal("not_a_value", `${spec.name}: "${text}" is not a value; write a number ${rangeOf(spec)}${names}`, {
      field: spec.name,
      text,
      range: rangeOf(spec),
    });
  }
  const value = Number(text);
  if (value < spec.min || value > spec.max) {
    throw new CronRefusal(
      "out_of_range",
      `${spec.name}: ${value} is ${value > spec.max ? `above ${spec.max}` : `below ${spec.min}`}; use ${rangeOf(spec)}`,
      { field: spec.name, value, range: rangeOf(spec) },
    );
  }
  return value;
}

function parseStep(text: string, span: number, spec: FieldSpec): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) === 0) {
    throw new CronRefusal("bad_step", `${spec.name}: step "${text}" is not a number from 1; write */5, for instance`, {
      field: spec.name,
      text,
    });
  }
  const step = Number(text);
  if (step > span) {
    throw new CronRefusal(
      "step_too_large",
      `${spec.name}: step ${step} is longer than its range of ${span} values, so it would only ever match the first one; use a step up to ${span}, or a single value`,
      { field: spec.name, step, size: span },
    );
  }
  return step;
}

function parseBounds(base: string, stepped: boolean, spec: FieldSpec, dialect: CronDialect): { from: number; to: number; star: boolean } {
  const top = spec.name === "day of week" && spec.min === 0 ? 6 : spec.max;
  if (base === "*" || (base === "" && stepped && dialect === "quartz")) return { from: spec.min, to: top, star: base === "*" };
  const [low = "", high, ...rest] = base.split("-");
  if (rest.length > 0) {
    const message = `${spec.name}: "${base}" is not a range; write two values, such as ${spec.min}-${spec.min + 4}`;
    throw new CronRefusal("bad_range", message, { field: spec.name, text: base });
  }
  const from = parseValue(low, spec);
  if (high !== undefined) {
    const to = parseValue(high, spec);
    if (to < from && dialect === "vixie") {
      const fix =
        spec.name === "day of week" && to === 0 ? `${low}-7` : `${high}-${low}, or two ranges such as ${low}-${top},${spec.min}-${high}`;
      throw new CronRefusal("backward_range", `${spec.name}: the range ${base} runs backwards; write ${fix}`, {
        field: spec.name,
        text: base,
        fix,
      });
    }
    return { from, to, star: false };
  }
  if (stepped && dialect === "vixie") {
    const fix = `${base}-${top}/…`;
    throw new CronRefusal("open_step", `${spec.name}: "${base}/…" has no end; write ${fix} to say that it goes on to ${top}`, {
      field: spec.name,
      text: `${base}/…`,
      fix,
    });
  }
  return { from, to: stepped ? top : from, star: false };
}

function parseTerm(text: string, spec: FieldSpec, dialect: CronDialect): FieldTerm {
  const [base = "", stepText, ...rest] = text.split("/");
  if (rest.length > 0 || (base === "" && stepText === undefined)) {
    throw new CronRefusal(
      "unreadable_part",
      `${spec.name}: "${text}" cannot be read; write a value, a range such as ${spec.min}-${spec.min + 4}, * or */5`,
      { field: spec.name, text },
    );
  }
  const bounds = parseBounds(base, stepText !== undefined, spec, dialect);
  const size = fieldSize(spec);
  const span = bounds.to >= bounds.from ? bounds.to - bounds.from + 1 : size - (bounds.from - bounds.to - 1);
  const step = stepText === undefined ? 1 : parseStep(stepText, Math.min(span, size), spec);
  return { ...bounds, step };
}

/** The parts of a field; throws `CronRefusal`. */
export function parseTerms(text: string, spec: FieldSpec, dialect: CronDialect): FieldTerm[] {
  return text.split(",").map((term) => {
    if (term === "") {
      throw new CronRefusal("empty_part", `${spec.name}: "${text}" has an empty part; remove the extra comma`, { field: spec.name, text });
    }
    return parseTerm(term, spec, dialect);
  });
}

/** All values that the parts cover, in order; a Quartz range may wrap around, such as `FRI-MON`. */
export function expandTerms(terms: readonly FieldTerm[], spec: FieldSpec): number[] {
  const values = new Set<number>();
  const size = spec.max - spec.min + 1;
  for (const { from, to, step } of terms) {
    const end = to < from ? to + size : to;
    for (let value = from; value <= end; value += step) values.add(value > spec.max ? value - size : value);
  }
  return [...values].sort((a, b) => a - b);
}
