import { EvaluationError, Optional } from "@marcbachmann/cel-js";
import { excerpt } from "./issue";
import type { Json } from "./plain-tree";
import { hasTemplate, parseTemplate, type Segment, type TemplateProblem } from "./template";
import { type Expression, type Reference, referenceText, stepsOf } from "./template-expression";

/** What templates may name when a node starts. Every predecessor is present; one that gave nothing has output null. */
export interface TemplateScope {
  readonly params: Readonly<Record<string, unknown>>;
  readonly nodes: Readonly<Record<string, { readonly output: unknown }>>;
  readonly run: { readonly id: string; readonly scheduledAt: string | null; readonly trigger: string };
}

/**
 * Snapshots keep secrets as references: `{ $secret: name }` for a whole value, `***` inside a text.
 * Values enter in the worker's last step alone.
 */
export type SecretMode =
  | { readonly mode: "reference" }
  | { readonly mode: "value"; readonly valueOf: (name: string) => string | undefined };

export type Rendered =
  | { readonly kind: "rendered"; readonly value: Json }
  | { readonly kind: "unresolved"; readonly problems: readonly PlacedProblem[] };

export interface PlacedProblem extends TemplateProblem {
  readonly path: readonly (string | number)[];
}

export const SECRET_MASK = "***";
const MAX_RESULT = 8_000_000;
const NOTHING = Symbol("nothing");

class Unresolved extends Error {
  constructor(readonly problem: TemplateProblem) {
    super(problem.message);
  }
}

interface Job {
  readonly scope: TemplateScope;
  readonly secrets: SecretMode;
  readonly problems: PlacedProblem[];
  /** Characters and values that may still be made. */
  left: number;
}

function spend(job: Job, amount: number): void {
  job.left -= amount;
  if (job.left < 0)
    throw new Unresolved({ code: "input_too_large", message: `the rendered input is larger than ${MAX_RESULT} characters` });
}

function plainNumber(value: number | bigint): number {
  const number = Number(value);
  if (typeof value === "bigint" && !Number.isSafeInteger(number)) {
    throw new Unresolved({
      code: "unsafe_integer",
      message: `${excerpt(String(value))} is beyond 2^53 and would lose digits; use string(…) to pass it as text`,
    });
  }
  if (!Number.isFinite(number)) throw new Unresolved({ code: "not_finite", message: "the result is not a finite number" });
  return number;
}

function plainFields(job: Job, value: object): Json {
  const copy: { [key: string]: Json } = {};
  for (const [key, child] of Object.entries(value)) {
    spend(job, key.length);
    Object.defineProperty(copy, key, { value: plain(job, child), enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

/** What an expression gave, as JSON. Every value counts, so that a loop cannot multiply a large one unseen. */
function plain(job: Job, value: unknown): Json {
  spend(job, 1);
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean") return value;
  if (typeof value === "number" || typeof value === "bigint") return plainNumber(value);
  if (typeof value === "string") {
    spend(job, value.length);
    return value;
  }
  if (Array.isArray(value)) return value.map((child: unknown) => plain(job, child));
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Optional) {
    throw new Unresolved({ code: "optional_result", message: 'the result may be absent; end the expression with .orValue("…")' });
  }
  const prototype: unknown = typeof value === "object" ? Object.getPrototypeOf(value) : undefined;
  if (typeof value === "object" && (prototype === Object.prototype || prototype === null)) return plainFields(job, value);
  throw new Unresolved({ code: "not_json", message: "the result has no JSON form; use string(…) to pass it as text" });
}

function look(scope: TemplateScope, reference: Reference): unknown {
  let at: unknown = { params: scope.params, nodes: scope.nodes, run: scope.run };
  for (const step of stepsOf(reference)) {
    const list = Array.isArray(at) && /^\d+$/.test(step);
    if (typeof at !== "object" || at === null || (!list && !Object.hasOwn(at, step))) return NOTHING;
    at = (at as Record<string, unknown>)[step];
  }
  return at;
}

function failure(job: Job, expression: Expression, error: unknown): Unresolved {
  if (error instanceof Unresolved) return error;
  if (error instanceof RangeError)
    return new Unresolved({ code: "input_too_large", message: "the expression makes a value that is too large" });
  if (!(error instanceof EvaluationError)) throw error;
  const source = excerpt(expression.source.trim());
  if (error.code === "no_such_key" || error.code === "index_out_of_bounds") {
    const missing = expression.references.find((reference) => look(job.scope, reference) === NOTHING);
    const name = missing === undefined ? source : referenceText(missing);
    const message = `${name} does not exist in this run; correct the name, or allow for its absence with has(…) or .?name.orValue("…")`;
    return new Unresolved({ code: "missing_reference", message, reference: name, values: { reference: name } });
  }
  return new Unresolved({
    code: "template_failed",
    message: `{{ ${source} }}: ${excerpt(error.summary)}`,
    values: { detail: excerpt(error.summary) },
  });
}

function secretValue(job: Job, name: string, whole: boolean): Json {
  if (job.secrets.mode === "reference") return whole ? { $secret: name } : SECRET_MASK;
  const value = job.secrets.valueOf(name);
  if (value !== undefined) return value;
  const message = `the secret ${excerpt(name)} does not exist; create it in the project's settings`;
  throw new Unresolved({ code: "missing_secret", message, reference: `secrets.${name}`, values: { name: excerpt(name) } });
}

function evaluate(job: Job, expression: Expression, whole: boolean): unknown {
  const [first] = expression.references;
  if (first?.root === "secrets") return secretValue(job, first.name, whole);
  try {
    return expression.evaluate({ params: job.scope.params, nodes: job.scope.nodes, run: job.scope.run, secrets: {} });
  } catch (error) {
    throw failure(job, expression, error);
  }
}

/** The text of a value inside a text: digits stay exact, nothing becomes an empty text, structures become JSON. */
function asText(job: Job, value: unknown): string {
  if (value === null) return "";
  if (typeof value === "bigint") return String(value);
  const json = plain(job, value);
  return typeof json === "string" ? json : JSON.stringify(json);
}

function renderSegments(job: Job, segments: readonly Segment[], textOnly: boolean): Json {
  const [only, ...more] = segments;
  if (!textOnly && only?.kind === "expression" && more.length === 0) return plain(job, evaluate(job, only.expression, true));
  const parts = segments.map((segment) => (segment.kind === "text" ? segment.text : asText(job, evaluate(job, segment.expression, false))));
  const text = parts.join("");
  spend(job, text.length);
  return text;
}

function renderText(job: Job, path: readonly (string | number)[], text: string, textOnly: boolean): Json {
  if (!hasTemplate(text)) return text;
  const parsed = parseTemplate(text);
  try {
    if (parsed.ok) return renderSegments(job, parsed.template.segments, textOnly);
    job.problems.push({ ...parsed.problem, path });
  } catch (error) {
    if (!(error instanceof Unresolved)) throw error;
    job.problems.push({ ...error.problem, path });
  }
  return null;
}

function renderTree(job: Job, path: readonly (string | number)[], value: unknown, textOnly: boolean): Json {
  if (typeof value === "string") return renderText(job, path, value, textOnly);
  if (Array.isArray(value)) return value.map((child: unknown, index) => renderTree(job, [...path, index], child, textOnly));
  if (typeof value !== "object" || value === null) return value as Json;
  const copy: { [key: string]: Json } = {};
  for (const [key, child] of Object.entries(value)) {
    if (child !== undefined) copy[key] = renderTree(job, [...path, key], child, textOnly);
  }
  return copy;
}

function startJob(scope: TemplateScope, secrets: SecretMode): Job {
  return { scope, secrets, problems: [], left: MAX_RESULT };
}

function finish(job: Job, value: Json): Rendered {
  return job.problems.length > 0 ? { kind: "unresolved", problems: job.problems } : { kind: "rendered", value };
}

/** Renders every text of a value tree. A template that is a whole value keeps its type; inside a text it becomes text. */
export function renderTemplate(value: unknown, scope: TemplateScope, secrets: SecretMode): Rendered {
  const job = startJob(scope, secrets);
  return finish(job, renderTree(job, [], value, false));
}

/** A node as far as rendering needs it; fields of `with` that go out as text stay text whatever a template gives. */
export interface RenderableNode {
  readonly type: string;
  readonly with: object;
}

const KEEPS_TYPE: ReadonlySet<string> = new Set(["http.body", "handler.input"]);

/** A node's `with`, resolved for this run: what an attempt's snapshot stores and what its worker executes. */
export function renderNodeWith(node: RenderableNode, scope: TemplateScope, secrets: SecretMode): Rendered {
  const job = startJob(scope, secrets);
  const value: { [key: string]: Json } = {};
  for (const [field, child] of Object.entries(node.with)) {
    if (child !== undefined) value[field] = renderTree(job, ["with", field], child, !KEEPS_TYPE.has(`${node.type}.${field}`));
  }
  return finish(job, value);
}
