import type { InputIssue } from "../failure";

/** An issue whose facts stand apart from its message, so that a screen can say it in another language. */
export interface DefinitionIssue extends InputIssue {
  readonly values?: Readonly<Record<string, string | number>>;
}

export type PathPart = string | number;

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_ECHO = 60;

/** The beginning of what an author wrote: an error about a huge name must not be huge itself. */
export function excerpt(text: string, max = MAX_ECHO): string {
  return text.length <= max ? text : `${text.slice(0, max)}… (${text.length} characters)`;
}

/** `["spec", "nodes", 2, "with", "url"]` → `spec.nodes[2].with.url`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (PLAIN_NAME.test(String(part)) && String(part).length <= MAX_ECHO) text += text === "" ? String(part) : `.${String(part)}`;
    else text += `[${JSON.stringify(excerpt(String(part)))}]`;
  }
  return text;
}
