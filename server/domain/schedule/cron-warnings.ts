import type { CronDialect } from "../pipeline/definition";
import type { CronExpression } from "./cron-expression";
import { type CronWarning, expandTerms, type FieldSpec, fieldSize, parseTerms } from "./cron-field";

const STEPPED = /^(?:\*|\d+|\d+-\d+)?\/\d+$/;

const listOf = (values: readonly number[]) => {
  const shown = values.length > 8 ? [...values.slice(0, 4), "…", ...values.slice(-2)] : values;
  return shown.join(", ");
};

/** A step that does not divide its field starts anew with each hour, day, month or week. */
export function stepWarning(text: string | null, spec: FieldSpec, dialect: CronDialect): CronWarning | null {
  if (text === null || !STEPPED.test(text)) return null;
  const [term] = parseTerms(text, spec, dialect);
  if (term === undefined || term.step === 1) return null;
  const size = fieldSize(spec);
  const values = expandTerms([term], spec);
  if (values.length === 1) {
    const message = `${spec.name}: ${text} matches only ${values[0]}; write ${values[0]} to say so`;
    return { code: "single_value_step", message, values: { field: spec.name, text, value: values[0] ?? 0 } };
  }
  const first = values[0] ?? 0;
  const last = values.at(-1) ?? 0;
  // A step that stops short of the field's end is a window on purpose, such as 8-18/3.
  const coversField = first - spec.min < term.step && spec.min + size - last <= term.step;
  if (!coversField) return null;
  const monthsDiffer = spec.name === "day of month";
  if (!monthsDiffer && first + size - last === term.step) return null;
  const unit = spec.name.startsWith("day") ? "day" : spec.name;
  const message = `${spec.name}: ${text} matches ${listOf(values)} and then starts anew, so it is not every ${term.step} ${unit}s throughout`;
  return { code: "uneven_step", message, values: { field: spec.name, text, matches: listOf(values), step: term.step } };
}

/** Half of those who fill in both day fields expect the other meaning. */
export function dayWarnings(cron: CronExpression): CronWarning[] {
  const { dayOfMonth, dayOfWeek } = cron.fields;
  if (cron.dayScope === "union") {
    const message = `fires on each day that matches day of month ${dayOfMonth} or day of week ${dayOfWeek}: both sets, not only the days that match both`;
    return [{ code: "day_union", message, values: { dayOfMonth, dayOfWeek } }];
  }
  if (cron.dayScope === "intersection") {
    const message = `fires only on days that match day of month ${dayOfMonth} and day of week ${dayOfWeek}, since one of them starts with *`;
    return [{ code: "day_intersection", message, values: { dayOfMonth, dayOfWeek } }];
  }
  return [];
}
