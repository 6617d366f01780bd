import type { z } from "zod";
import { DomainError, type InputIssue } from "./failure";
import { schemaIssues } from "./pipeline/schema-issues";

const MAX_NAMED = 3;

/** A refusal whose message names the first places that are wrong; all of them stand in its issues. */
export function invalidInput(issues: readonly InputIssue[], what = "the input"): DomainError {
  const named = issues.slice(0, MAX_NAMED).map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const more = issues.length > MAX_NAMED ? ` (and ${issues.length - MAX_NAMED} more)` : "";
  return new DomainError("invalid_input", `${what} is not valid. ${named.join("; ")}${more}`, { issues });
}

/** What a schema makes of an input, or a refusal that says what is wrong and where. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw invalidInput(schemaIssues(result.error));
}
