import { excerpt } from "./issue";
import { type Expression, parseExpression, type Reference } from "./template-expression";

export type Segment =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "expression"; readonly expression: Expression; readonly position: number };

export interface Template {
  readonly segments: readonly Segment[];
}

export interface TemplateProblem {
  readonly code: string;
  readonly message: string;
  /** Offset in the text, where one place is at fault. */
  readonly position?: number;
  /** The reference that could not be resolved, such as `nodes.pull.output.file`. */
  readonly reference?: string;
  readonly values?: Readonly<Record<string, string | number>>;
}

export type ParsedTemplate = { readonly ok: true; readonly template: Template } | { readonly ok: false; readonly problem: TemplateProblem };

const QUOTES: ReadonlySet<string> = new Set(['"', "'"]);

/** Where the expression that starts at `from` ends: at `}}` outside of quotes and of its own braces. */
function endOfExpression(text: string, from: number): number | null {
  let quote: string | null = null;
  let open = 0;
  for (let at = from; at < text.length; at += 1) {
    const mark = text.charAt(at);
    if (quote !== null) {
      if (mark === "\\") at += 1;
      else if (mark === quote) quote = null;
    } else if (QUOTES.has(mark)) quote = mark;
    else if (mark === "{") open += 1;
    else if (mark === "}" && open > 0) open -= 1;
    else if (mark === "}" && text.charAt(at + 1) === "}") return at;
  }
  return null;
}

export const hasTemplate = (text: string): boolean => text.includes("{{");

/** Splits a text into plain parts and `{{ … }}` expressions, each parsed and judged. A literal `{{` is written `{{ "{{" }}`. */
export function parseTemplate(text: string): ParsedTemplate {
  const segments: Segment[] = [];
  let at = 0;
  for (let open = text.indexOf("{{"); open !== -1; open = text.indexOf("{{", at)) {
    if (open > at) segments.push({ kind: "text", text: text.slice(at, open) });
    const end = endOfExpression(text, open + 2);
    if (end === null) {
      return {
        ok: false,
        problem: { code: "template_unclosed", message: `"{{" is not closed by "}}": ${excerpt(text.slice(open))}`, position: open },
      };
    }
    const parsed = parseExpression(text.slice(open + 2, end));
    if (!parsed.ok) return { ok: false, problem: { ...parsed.problem, position: open + 2 + parsed.problem.position } };
    segments.push({ kind: "expression", expression: parsed.expression, position: open });
    at = end + 2;
  }
  if (at < text.length || segments.length === 0) segments.push({ kind: "text", text: text.slice(at) });
  return { ok: true, template: { segments } };
}

/** What a template names, in order, without repeats being removed. */
export function referencesOf(template: Template): readonly Reference[] {
  return template.segments.flatMap((segment) => (segment.kind === "expression" ? segment.expression.references : []));
}

export interface PlacedText {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Every text of a value tree that holds a template, with its place. Field names are never templates. */
export function templatesIn(value: unknown, path: readonly (string | number)[] = []): readonly PlacedText[] {
  if (typeof value === "string") return hasTemplate(value) ? [{ path, text: value }] : [];
  if (Array.isArray(value)) return value.flatMap((child: unknown, index) => templatesIn(child, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => templatesIn(child, [...path, key]));
}

/** Names of the secrets that a value tree needs, each once; texts that do not parse name none. */
export function secretsIn(value: unknown): readonly string[] {
  const names = templatesIn(value).flatMap(({ text }) => {
    const parsed = parseTemplate(text);
    return parsed.ok ? referencesOf(parsed.template).flatMap((reference) => (reference.root === "secrets" ? [reference.name] : [])) : [];
  });
  return [...new Set(names)];
}

/**
 * A text whose templates name `to` where they named `from`, for the rename of a node or a parameter.
 * A text that does not parse comes back as it is: it will be reported, and its author knows what it meant.
 */
export function renameInTemplate(text: string, root: "nodes" | "params", from: string, to: string): string {
  const parsed = hasTemplate(text) ? parseTemplate(text) : null;
  if (!parsed?.ok) return text;
  const edits = parsed.template.segments
    .flatMap((segment) =>
      segment.kind === "text" ? [] : segment.expression.mentions.map((mention) => ({ mention, offset: segment.position + 2 })),
    )
    .filter(({ mention }) => mention.root === root && mention.name === from)
    .sort((left, right) => right.offset + right.mention.start - (left.offset + left.mention.start));
  return edits.reduce((result, { mention, offset }) => {
    const name = mention.quoted ? JSON.stringify(to) : to;
    return result.slice(0, offset + mention.start) + name + result.slice(offset + mention.end);
  }, text);
}

/** The same for every text of a value tree. */
export function renameInTree<T>(value: T, root: "nodes" | "params", from: string, to: string): T;
export function renameInTree(value: unknown, root: "nodes" | "params", from: string, to: string): unknown {
  if (typeof value === "string") return renameInTemplate(value, root, from, to);
  if (Array.isArray(value)) return value.map((child: unknown) => renameInTree(child, root, from, to));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, renameInTree(child as unknown, root, from, to)]));
}
