import { type Document, isAlias, isCollection, isMap, isScalar, LineCounter, type Pair, parseDocument, visit, type YAMLError } from "yaml";
import { type DefinitionIssue, excerpt } from "./issue";
import { parseJson } from "./parse-json";

export type ParsedText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly DefinitionIssue[] };

/** The YAML reader recurses and slows down with size, so both are bounded before it sees a text. */
const MAX_NESTING = 200;
const MAX_MARKS = 100_000;
const MAX_ALIASES = 50;
const LEADING = /^[ \-?:]*/;

const refuse = (code: string, message: string, values?: Record<string, string | number>): ParsedText => ({
  ok: false,
  issues: [{ path: "", code, message, ...(values && { values }) }],
});

function lineOf(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

/** A crude upper bound on depth and size that never recurses. */
function boundsIssue(text: string): ParsedText | null {
  let open = 0;
  let marks = 0;
  for (const mark of text) {
    if (mark === "[" || mark === "{") open += 1;
    else if (mark === "]" || mark === "}") open = Math.max(0, open - 1);
    else if (mark === "," || mark === "\n") marks += 1;
    if (open > MAX_NESTING) return refuse("too_deep", "The text is nested too deeply", { max: MAX_NESTING });
    if (marks > MAX_MARKS) return refuse("too_large", `The text has more than ${MAX_MARKS} entries`, { max: MAX_MARKS });
  }
  const deepest = text.split("\n").find((line) => (LEADING.exec(line)?.[0].length ?? 0) > MAX_NESTING);
  return deepest === undefined ? null : refuse("too_deep", "A line is indented too far", { max: MAX_NESTING });
}

function yamlIssue(error: YAMLError): DefinitionIssue {
  const line = error.linePos?.[0].line ?? 1;
  const summary = excerpt((error.message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, ""), 160);
  return { path: "", code: "syntax", message: `Line ${line}: ${summary}`, values: { line, detail: summary } };
}

function pairIssue(pair: Pair, seen: Set<unknown>, line: number): DefinitionIssue | null {
  const { key } = pair;
  if (isCollection(key)) {
    return {
      path: "",
      code: "unquoted_template",
      message: `Line ${line}: put a template in quotes, as in "{{ params.day }}"`,
      values: { line },
    };
  }
  const name: unknown = isScalar(key) ? key.value : isAlias(key) ? `*${key.source}` : key;
  if (!seen.has(name)) {
    seen.add(name);
    return null;
  }
  const shown = excerpt(String(name));
  return {
    path: "",
    code: "duplicate_key",
    message: `Line ${line}: the field "${shown}" stands twice; keep one`,
    values: { line, field: shown },
  };
}

/** Own check, because the reader's is quadratic in the number of fields. */
function keyIssues(document: Document, lines: LineCounter): DefinitionIssue[] {
  const issues: DefinitionIssue[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const pair of map.items) {
        const start = (isScalar(pair.key) || isCollection(pair.key) ? pair.key.range?.[0] : undefined) ?? map.range?.[0] ?? 0;
        const issue = pairIssue(pair, seen, lines.linePos(start).line);
        if (issue !== null && issues.length < 20) issues.push(issue);
      }
    },
  });
  return issues;
}

function parseYaml(text: string): ParsedText {
  const lines = new LineCounter();
  const options = { intAsBigInt: true, uniqueKeys: false, resolveKnownTags: false, logLevel: "error", lineCounter: lines } as const;
  const document = parseDocument(text, options);
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) return { ok: false, issues: problems.slice(0, 20).map(yamlIssue) };
  const issues = keyIssues(document, lines);
  if (issues.length > 0) return { ok: false, issues };
  if (!isMap(document.contents))
    return refuse("not_a_mapping", "A definition is a mapping that starts with apiVersion, kind, metadata and spec");
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown };
  } catch {
    return refuse("too_many_aliases", `The text repeats its anchors too often (at most ${MAX_ALIASES} times)`, { max: MAX_ALIASES });
  }
}

/** YAML or JSON text as a plain value; integers may come back as bigint, so that none is rounded on the way. */
export function parseText(text: string): ParsedText {
  if (text.includes("\u0000")) return refuse("nul_byte", `Line ${lineOf(text, text.indexOf("\u0000"))}: holds a NUL character; remove it`);
  if (text.trimStart().startsWith("{")) {
    const json = parseJson(text);
    if (json.kind === "value") return { ok: true, value: json.value };
    if (json.kind === "refused")
      return refuse(json.code, `Line ${lineOf(text, json.position)}: ${json.message}`, { line: lineOf(text, json.position) });
  }
  return boundsIssue(text) ?? parseYaml(text);
}
