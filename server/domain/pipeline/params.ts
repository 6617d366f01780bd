import type { ParamDefinition } from "./definition";
import { type DefinitionIssue, excerpt, pathText } from "./issue";
import { type Json, toPlainTree } from "./plain-tree";

export type ParamValues = Readonly<Record<string, Json>>;

export type ValidatedParams =
  | { readonly ok: true; readonly values: ParamValues }
  | { readonly ok: false; readonly issues: readonly DefinitionIssue[] };

export const MAX_PARAM_TEXT = 65_536;
export const MAX_PARAMS_BYTES = 262_144;

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** True for a day that exists, as `2026-02-28`. */
export function isCalendarDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCFullYear() === Number(year) && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

type Finding = { readonly code: string; readonly message: string; readonly values?: Record<string, string | number> } | null;

const wrongType = (expected: string): Finding => ({ code: "invalid_type", message: `should be of type ${expected}`, values: { expected } });

function bounds(param: ParamDefinition, size: number, unit: "" | " characters"): Finding {
  const word = unit === "" ? "big" : "long";
  const least = unit === "" ? "small" : "short";
  if (param.max !== undefined && size > param.max) {
    return { code: `too_${word}`, message: `should be at most ${param.max}${unit}`, values: { max: param.max } };
  }
  if (param.min !== undefined && size < param.min) {
    return { code: `too_${least}`, message: `should be at least ${param.min}${unit}`, values: { min: param.min } };
  }
  return null;
}

function textFinding(param: ParamDefinition, value: Json): Finding {
  if (typeof value !== "string") return wrongType("string");
  if (value.length > MAX_PARAM_TEXT) {
    return { code: "too_long", message: `should have at most ${MAX_PARAM_TEXT} characters`, values: { max: MAX_PARAM_TEXT } };
  }
  return bounds(param, value.length, " characters");
}

function enumFinding(param: ParamDefinition, value: Json): Finding {
  if (typeof value === "string" && param.values?.includes(value)) return null;
  const choices = (param.values ?? []).join(", ");
  return { code: "not_a_choice", message: `use one of: ${excerpt(choices)}`, values: { choices: excerpt(choices) } };
}

/** What is wrong with one value of a parameter; null if it fits. */
export function paramFinding(param: ParamDefinition, value: Json): Finding {
  switch (param.type) {
    case "string":
      return textFinding(param, value);
    case "integer":
      return Number.isSafeInteger(value) ? bounds(param, Number(value), "") : wrongType("integer");
    case "number":
      return typeof value === "number" ? bounds(param, value, "") : wrongType("number");
    case "boolean":
      return typeof value === "boolean" ? null : wrongType("boolean");
    case "date":
      if (typeof value === "string" && isCalendarDate(value)) return null;
      return { code: "not_a_date", message: "should be a day that exists, written YYYY-MM-DD" };
    case "enum":
      return enumFinding(param, value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value) ? null : wrongType("object");
  }
}

/** A parameter without a default has to be given, unless the author says that it may be absent. */
export const isRequired = (param: ParamDefinition): boolean => param.required ?? param.default === undefined;

function resolve(name: string, param: ParamDefinition, given: Json | undefined, issues: DefinitionIssue[]): Json {
  const value = given ?? param.default;
  if (value === undefined || value === null) {
    if (isRequired(param)) {
      issues.push({ path: name, code: "required", message: `the parameter ${name} is missing; give it a value`, values: { field: name } });
    }
    return null;
  }
  const finding = paramFinding(param, value);
  if (finding !== null) issues.push({ path: name, ...finding, message: `the parameter ${name} ${finding.message}` });
  return value;
}

/**
 * Judges the parameters of a run and fills in defaults. An optional parameter that is neither given
 * nor defaulted is null, so that a template over it still resolves.
 */
export function validateParams(definitions: Readonly<Record<string, ParamDefinition>>, input: unknown): ValidatedParams {
  const tree = toPlainTree(input ?? {});
  if (tree.issues.length > 0) return { ok: false, issues: tree.issues };
  const { value } = tree;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return {
      ok: false,
      issues: [{ path: "", code: "invalid_type", message: "parameters are an object of names and values", values: { expected: "object" } }],
    };
  }
  if (JSON.stringify(value).length > MAX_PARAMS_BYTES) {
    const message = `the parameters are larger than ${MAX_PARAMS_BYTES} characters; pass a reference to the data instead`;
    return { ok: false, issues: [{ path: "", code: "too_large", message, values: { max: MAX_PARAMS_BYTES } }] };
  }
  const issues: DefinitionIssue[] = Object.keys(value)
    .filter((name) => !Object.hasOwn(definitions, name))
    .map((name) => ({
      path: pathText([name]),
      code: "unknown_param",
      message: `this pipeline has no parameter ${excerpt(name)}; remove it or correct its name`,
      values: { name: excerpt(name) },
    }));
  const values = Object.fromEntries(Object.entries(definitions).map(([name, param]) => [name, resolve(name, param, value[name], issues)]));
  return issues.length > 0 ? { ok: false, issues } : { ok: true, values };
}
