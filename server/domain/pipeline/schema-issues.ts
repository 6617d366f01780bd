import type { z } from "zod";
import { FORMAT_HINTS } from "./definition";
import { type DefinitionIssue, excerpt, pathText } from "./issue";

type SchemaIssue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

const KIND_BY_HINT = new Map<string, string>(Object.entries(FORMAT_HINTS).map(([kind, hint]) => [hint, kind]));

function one(path: Path, code: string, message: string, values?: Record<string, string | number>): DefinitionIssue[] {
  return [{ path: pathText(path), code, message, ...(values && { values }) }];
}

function formatIssue(path: Path, message: string): DefinitionIssue[] {
  const kind = message.startsWith("not a duration") ? "duration" : KIND_BY_HINT.get(message);
  return one(path, kind ?? "invalid_format", message);
}

function typeIssue(path: Path, expected: string, input: unknown): DefinitionIssue[] {
  const field = String(path.at(-1) ?? "definition");
  if (input === undefined) return one(path, "required", `${excerpt(field)} is missing; add it`, { field: excerpt(field) });
  const name = expected === "record" ? "object" : expected;
  return one(path, "invalid_type", `should be of type ${name}`, { expected: name });
}

function sizeIssue(path: Path, issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): DefinitionIssue[] {
  const big = issue.code === "too_big";
  const bound = Number(big ? issue.maximum : issue.minimum);
  const edge = big ? "at most" : "at least";
  const values: Record<string, number> = big ? { max: bound } : { min: bound };
  if (issue.origin === "string")
    return one(path, big ? "too_long" : "too_short", `should have ${edge} ${bound} character${bound === 1 ? "" : "s"}`, values);
  if (issue.origin === "array")
    return one(path, big ? "too_many" : "too_few", `should have ${edge} ${bound} entr${bound === 1 ? "y" : "ies"}`, values);
  return one(path, big ? "too_big" : "too_small", `should be ${edge} ${bound}`, values);
}

function choiceIssue(path: Path, choices: readonly unknown[], input: unknown): DefinitionIssue[] {
  if (input === undefined) return typeIssue(path, "string", input);
  const list = choices.map(String).join(", ");
  return one(path, "not_a_choice", `use ${choices.length === 1 ? "" : "one of: "}${list}`, { choices: list });
}

const weight = (branch: readonly SchemaIssue[]) =>
  branch.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 1), 0);

/** Of a union's branches the author most likely meant the one with the least wrong. */
function unionIssues(path: Path, issue: z.core.$ZodIssueInvalidUnion): DefinitionIssue[] {
  const [first, ...others] = issue.errors;
  if (first === undefined) return one(path, "not_a_choice", `use a known ${String(path.at(-1) ?? "value")}`, { choices: "" });
  const best = others.reduce((chosen, branch) => (weight(branch) <= weight(chosen) ? branch : chosen), first);
  return best.flatMap((inner) => translate(path, inner));
}

function translate(prefix: Path, issue: SchemaIssue): DefinitionIssue[] {
  const path = [...prefix, ...issue.path];
  switch (issue.code) {
    case "invalid_type":
      return typeIssue(path, issue.expected, issue.input);
    case "too_big":
    case "too_small":
      return sizeIssue(path, issue);
    case "unrecognized_keys":
      return issue.keys.flatMap((key) =>
        one([...path, key], "unknown_field", `"${excerpt(key)}" is not a field here; remove it or correct its name`, {
          field: excerpt(key),
        }),
      );
    case "invalid_value":
      return choiceIssue(path, issue.values, issue.input);
    case "invalid_union":
      return unionIssues(path, issue);
    case "invalid_key":
    case "invalid_element":
      return issue.issues.flatMap((inner) => translate(path, inner));
    case "invalid_format":
    case "not_multiple_of":
    case "custom":
      return formatIssue(path, issue.message);
  }
}

/** A schema's findings as issues that say what, where and what to do; one per place, the first found. */
export function schemaIssues(error: z.ZodError): DefinitionIssue[] {
  const seen = new Set<string>();
  return error.issues
    .flatMap((issue) => translate([], issue))
    .filter(({ path, code }) => {
      const place = code === "unknown_field" ? `${path}\n${code}` : path;
      if (seen.has(place)) return false;
      seen.add(place);
      return true;
    })
    .slice(0, 100);
}
