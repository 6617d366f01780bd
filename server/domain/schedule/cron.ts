import type { CronDialect } from "../pipeline/definition";
import { canEverFire } from "./cron-calendar";
import { parseDays } from "./cron-days";
import type { CronExpression, CronFields } from "./cron-expression";
import {
  type CronIssue,
  CronRefusal,
  CronRefusals,
  type CronWarning,
  expandTerms,
  FIELD_SPECS,
  type FieldSpec,
  parseTerms,
} from "./cron-field";
import { dayWarnings, stepWarning } from "./cron-warnings";

export type CronResult =
  | { readonly ok: true; readonly cron: CronExpression; readonly warnings: readonly CronWarning[] }
  | { readonly ok: false; readonly issues: readonly CronIssue[] };

export const MAX_CRON_LENGTH = 200;

const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

function spellOut(source: string): string {
  if (!source.startsWith("@")) return source;
  const spelled = NICKNAMES[source.toLowerCase()];
  if (spelled !== undefined) return spelled;
  if (source.toLowerCase() === "@reboot") {
    throw new CronRefusal("reboot", "@reboot names a machine's start, not a time; run the pipeline by hand or through the API instead");
  }
  const known = Object.keys(NICKNAMES).join(", ");
  throw new CronRefusal("unknown_nickname", `${source} is not a known nickname; use ${known}`, { text: source, known });
}

const VIXIE_SHAPE = "five fields (minute hour day month weekday), or six with seconds first";
const QUARTZ_SHAPE = "six fields (second minute hour day month weekday), or seven with a year last";

function splitFields(source: string, dialect: CronDialect): CronFields {
  const spelled = spellOut(source);
  const parts = spelled.split(" ");
  const fromNickname = spelled !== source;
  const [least, most, shape] = dialect === "vixie" ? [5, 6, VIXIE_SHAPE] : [6, 7, QUARTZ_SHAPE];
  if (!fromNickname && (parts.length < least || parts.length > most)) {
    const other = dialect === "vixie" && parts.length === 7 ? "; seven fields belong to the Quartz dialect" : "";
    throw new CronRefusal(
      "field_count",
      `"${source}" has ${parts.length} ${parts.length === 1 ? "field" : "fields"}; write ${shape}${other}`,
      { text: source, count: parts.length, dialect },
    );
  }
  const second = parts.length > 5 ? (parts.shift() ?? null) : null;
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = "", year = null] = parts;
  if (fromNickname && dialect === "quartz") {
    // Quartz knows no nicknames, and its Sunday is 1.
    const days = dayOfWeek === "*" ? { dayOfMonth, dayOfWeek: "?" } : { dayOfMonth: "?", dayOfWeek: "1" };
    return { second: "0", minute, hour, month, year, ...days };
  }
  return { second, minute, hour, dayOfMonth, month, dayOfWeek, year };
}

function normalise(expression: string): string {
  const source = expression.trim().replace(/\s+/g, " ");
  if (source === "") throw new CronRefusal("empty", `the expression is empty; write ${VIXIE_SHAPE}`);
  if (source.length > MAX_CRON_LENGTH) {
    throw new CronRefusal("too_long", `the expression has ${source.length} characters; the limit is ${MAX_CRON_LENGTH}`, {
      count: source.length,
      limit: MAX_CRON_LENGTH,
    });
  }
  if (/^(?:CRON_)?TZ=/i.test(source)) {
    throw new CronRefusal("zone_in_expression", "the zone does not belong into the expression; put it into timezone");
  }
  return source;
}

/** Reads each field by itself, so that all of them that are wrong are named at once. */
class FieldReader {
  readonly issues: CronIssue[] = [];

  constructor(private readonly dialect: CronDialect) {}

  attempt<T>(read: () => T, fallback: T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof CronRefusal)) throw error;
      this.issues.push(...error.issues);
      return fallback;
    }
  }

  values(text: string, spec: FieldSpec): number[] {
    return this.attempt(() => expandTerms(parseTerms(text, spec, this.dialect), spec), []);
  }
}

function readFields(source: string, fields: CronFields, dialect: CronDialect): CronExpression {
  const reader = new FieldReader(dialect);
  const cron = {
    dialect,
    source,
    fields,
    seconds: fields.second === null ? [0] : reader.values(fields.second, FIELD_SPECS.second),
    minutes: reader.values(fields.minute, FIELD_SPECS.minute),
    hours: reader.values(fields.hour, FIELD_SPECS.hour),
    days: reader.attempt(() => parseDays(fields.dayOfMonth, fields.dayOfWeek, dialect), null),
    months: reader.values(fields.month, FIELD_SPECS.month),
    years: fields.year === null || fields.year === "*" ? null : reader.values(fields.year, FIELD_SPECS.year),
    isCadence: [fields.second, fields.minute, fields.hour].some((field) => /^[*/]/.test(field ?? "")),
  };
  if (cron.days === null || reader.issues.length > 0) throw new CronRefusals(reader.issues);
  return { ...cron, days: cron.days.rule, dayScope: cron.days.scope };
}

function refuseNeverFiring(cron: CronExpression): void {
  if (canEverFire(cron)) return;
  const where = cron.years === null ? "no year has" : `${cron.fields.year} never has`;
  const { dayOfMonth, month } = cron.fields;
  throw new CronRefusal(
    "never_fires",
    `"${cron.source}" never fires: ${where} day ${dayOfMonth} in month ${month}; choose a day that exists`,
    { text: cron.source, day: dayOfMonth, month },
  );
}

function warningsOf(cron: CronExpression): CronWarning[] {
  const { fields } = cron;
  const steps = [
    stepWarning(fields.second, FIELD_SPECS.second, cron.dialect),
    stepWarning(fields.minute, FIELD_SPECS.minute, cron.dialect),
    stepWarning(fields.hour, FIELD_SPECS.hour, cron.dialect),
    stepWarning(fields.dayOfMonth, FIELD_SPECS.dayOfMonth, cron.dialect),
    stepWarning(fields.month, FIELD_SPECS.month, cron.dialect),
    stepWarning(fields.dayOfWeek, cron.dialect === "vixie" ? FIELD_SPECS.vixieWeekday : FIELD_SPECS.quartzWeekday, cron.dialect),
  ].filter((warning) => warning !== null);
  return [...steps, ...dayWarnings(cron)];
}

/**
 * Reads a cron expression in its dialect. A refusal says what to change; a warning speaks of what
 * is legal and often meant otherwise. Needs no clock and no zone.
 */
export function parseCron(expression: string, dialect: CronDialect): CronResult {
  try {
    const source = normalise(expression);
    const cron = readFields(source, splitFields(source, dialect), dialect);
    refuseNeverFiring(cron);
    return { ok: true, cron, warnings: warningsOf(cron) };
  } catch (error) {
    if (error instanceof CronRefusals) return { ok: false, issues: error.issues };
    throw error;
  }
}
