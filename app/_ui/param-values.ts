import type { ParamDefinition } from "@/server/domain/pipeline/definition";
import { validateParams } from "@/server/domain/pipeline/params";

export type ParamDefinitions = Readonly<Record<string, ParamDefinition>>;
/** What stands in the fields: text, also where a number or an object is meant, and a tick for a boolean. */
export type ParamDraft = Readonly<Record<string, string | boolean>>;

export interface ParamProblem {
  name: string;
  code: string;
  message: string;
  values?: Readonly<Record<string, string | number>>;
}

const asText = (param: ParamDefinition, value: unknown): string | boolean => {
  if (param.type === "boolean") return value === true;
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
};

/** What the fields hold at first: the given values, else the defaults. */
export function draftOf(definitions: ParamDefinitions, given: Readonly<Record<string, unknown>> = {}): ParamDraft {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, param]) => [name, asText(param, Object.hasOwn(given, name) ? given[name] : param.default)]),
  );
}

type Read = { kind: "value"; value: unknown } | { kind: "left out" } | { kind: "unreadable"; code: string };

function readField(param: ParamDefinition, field: string | boolean | undefined): Read {
  if (typeof field === "boolean") return { kind: "value", value: field };
  const text = field ?? "";
  if (param.type === "string") {
    const leftOut = text === "" && (param.default === undefined || param.default === null);
    return leftOut ? { kind: "left out" } : { kind: "value", value: text };
  }
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "left out" };
  switch (param.type) {
    case "integer":
    case "number":
      return Number.isFinite(Number(trimmed)) ? { kind: "value", value: Number(trimmed) } : { kind: "unreadable", code: "not_a_number" };
    case "object":
      try {
        return { kind: "value", value: JSON.parse(trimmed) };
      } catch {
        return { kind: "unreadable", code: "not_json" };
      }
    case "boolean":
    case "date":
    case "enum":
      return { kind: "value", value: trimmed };
  }
}

export type ReadParams = { ok: true; values: Record<string, unknown> } | { ok: false; problems: readonly ParamProblem[] };

/** The values of the fields as they are sent, judged by the same rules as on the server. */
export function readDraft(definitions: ParamDefinitions, draft: ParamDraft): ReadParams {
  const values: Record<string, unknown> = {};
  const problems: ParamProblem[] = [];
  for (const [name, param] of Object.entries(definitions)) {
    const read = readField(param, draft[name]);
    if (read.kind === "value") values[name] = read.value;
    else if (read.kind === "unreadable") problems.push({ name, code: read.code, message: "" });
  }
  const judged = validateParams(definitions, values);
  const unreadable = new Set(problems.map(({ name }) => name));
  if (!judged.ok) {
    for (const { path, code, message, values: facts } of judged.issues) {
      if (!unreadable.has(path)) problems.push({ name: path, code, message, values: facts });
    }
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, values };
}
