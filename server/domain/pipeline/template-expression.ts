import { type ASTNode, EvaluationError, ParseError } from "@marcbachmann/cel-js";
import { excerpt, pathText } from "./issue";
import { FUNCTIONS, LANGUAGE, LOOPS, ROOTS, RUN_FIELDS } from "./template-language";

/** What a template may name. */
export type Reference =
  | { readonly root: "params"; readonly name: string | null; readonly path: readonly string[] }
  | { readonly root: "nodes"; readonly key: string; readonly path: readonly string[] }
  | { readonly root: "run"; readonly field: string; readonly path: readonly string[] }
  | { readonly root: "secrets"; readonly name: string };

/** Where an expression says the first name after a root, so that a rename can follow it. */
export interface Mention {
  readonly root: string;
  readonly name: string;
  /** From and to, as offsets in the expression; quotes included where it is written `nodes["pull"]`. */
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

export interface Expression {
  readonly source: string;
  readonly references: readonly Reference[];
  readonly mentions: readonly Mention[];
  readonly evaluate: (scope: Record<string, unknown>) => unknown;
}

export interface ExpressionProblem {
  readonly code: string;
  readonly message: string;
  /** Offset in the expression. */
  readonly position: number;
  readonly values?: Readonly<Record<string, string | number>>;
}

export type ParsedExpression =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly problem: ExpressionProblem };

const MAX_LENGTH = 1_000;

class Refusal extends Error {
  constructor(
    readonly code: string,
    readonly node: ASTNode,
    message: string,
    readonly values?: Readonly<Record<string, string | number>>,
  ) {
    super(message);
  }
}

interface Scope {
  readonly references: Reference[];
  readonly mentions: Mention[];
  /** Variables of the loop that encloses this place. */
  readonly bound: ReadonlySet<string>;
  /** Roots that may not be named here: a loop over a large value must not name another large value. */
  readonly barred: ReadonlySet<string>;
  loops: { count: number };
}

/** `nodes.pull.output["file"]` → root `nodes`, path `pull, output, file`; a computed index ends the path. */
function chainOf(node: ASTNode): { root: string; path: string[]; complete: boolean; indexes: ASTNode[] } | null {
  if (node.op === "id") return { root: node.args, path: [], complete: true, indexes: [] };
  if (node.op !== "." && node.op !== ".?" && node.op !== "[]" && node.op !== "[?]") return null;
  const chain = chainOf(node.args[0]);
  if (chain === null) return null;
  const step = node.args[1];
  if (typeof step === "string") return chain.complete ? { ...chain, path: [...chain.path, step] } : chain;
  if (step.op === "value" && typeof step.args === "string" && chain.complete) return { ...chain, path: [...chain.path, step.args] };
  return { ...chain, complete: false, indexes: [...chain.indexes, step] };
}

function referenceOf(node: ASTNode, root: string, path: readonly string[]): Reference {
  const [first, second, ...rest] = path;
  switch (root) {
    case "params":
      return { root, name: first ?? null, path: path.slice(1) };
    case "nodes":
      if (first === undefined) throw new Refusal("dynamic_reference", node, "name the node directly, as in nodes.pull.output");
      if (second !== "output")
        throw new Refusal("not_in_scope", node, `of a node only its output is in scope: nodes.${excerpt(first)}.output`);
      return { root, key: first, path: rest };
    case "run":
      if (first === undefined || !RUN_FIELDS.some((field) => field === first)) {
        throw new Refusal("not_in_scope", node, `of the run only ${RUN_FIELDS.map((field) => `run.${field}`).join(", ")} are in scope`);
      }
      return { root, field: first, path: path.slice(1) };
    default:
      if (first === undefined || path.length > 1)
        throw new Refusal("secret_alone", node, "name a secret as secrets.name, and nothing more");
      return { root: "secrets", name: first };
  }
}

function mentionIn(node: ASTNode): Mention | null {
  if (node.op !== "." && node.op !== ".?" && node.op !== "[]" && node.op !== "[?]") return null;
  const [inner, step] = node.args;
  if (inner.op !== "id") return mentionIn(inner);
  if (typeof step === "string") return { root: inner.args, name: step, start: node.pos, end: node.end, quoted: false };
  if (step.op !== "value" || typeof step.args !== "string") return null;
  return { root: inner.args, name: step.args, start: step.start, end: step.end, quoted: true };
}

function collectChain(node: ASTNode, scope: Scope): boolean {
  const chain = chainOf(node);
  if (chain === null) return false;
  for (const index of chain.indexes) collect(index, scope);
  if (scope.bound.has(chain.root) || !ROOTS.has(chain.root)) return true;
  if (chain.path.length === 0 && !chain.complete) {
    throw new Refusal("dynamic_reference", node, `name what you take from ${chain.root} directly, as in ${chain.root}.name`);
  }
  if (scope.barred.has(chain.root)) {
    throw new Refusal("too_complex", node, `inside map, filter, all or exists, ${chain.root} cannot be named; use the loop's own variable`);
  }
  scope.references.push(referenceOf(node, chain.root, chain.path));
  const mention = mentionIn(node);
  if (mention !== null) scope.mentions.push(mention);
  return true;
}

function collectLoop(node: ASTNode, name: string, receiver: ASTNode, args: readonly ASTNode[], scope: Scope): void {
  collect(receiver, scope);
  scope.loops.count += 1;
  if (scope.loops.count > 1) throw new Refusal("too_complex", node, "an expression may loop once; do more in a command or a handler");
  const [variable, ...bodies] = args;
  if (variable?.op !== "id" || ROOTS.has(variable.args)) {
    throw new Refusal("not_in_scope", node, `give the loop a variable of its own, as in .${name}(item, …)`);
  }
  const barred = new Set(name === "map" ? ROOTS : ["nodes", "secrets"]);
  for (const body of bodies) collect(body, { ...scope, bound: new Set([variable.args]), barred });
}

function collectCall(node: ASTNode, name: string, receiver: ASTNode | null, args: readonly ASTNode[], scope: Scope): void {
  if (receiver !== null && LOOPS.has(name)) {
    collectLoop(node, name, receiver, args, scope);
    return;
  }
  if (!FUNCTIONS.has(name))
    throw new Refusal("unknown_function", node, `there is no function ${excerpt(name)} here`, { name: excerpt(name) });
  if (name === "join" && args.some((arg) => arg.op !== "value")) {
    throw new Refusal("too_complex", node, "write the separator of join as a plain text in quotes");
  }
  if (receiver !== null) collect(receiver, scope);
  for (const arg of args) collect(arg, scope);
}

function childrenOf(node: ASTNode): readonly ASTNode[] {
  if (node.op === "value" || node.op === "id" || node.op === "call" || node.op === "rcall") return [];
  if (node.op === "map") return node.args.flat();
  if (node.op === "." || node.op === ".?") return [node.args[0]];
  if (node.op === "!_" || node.op === "-_") return [node.args];
  return node.args;
}

function collect(node: ASTNode, scope: Scope): void {
  if (collectChain(node, scope)) return;
  if (node.op === "call") collectCall(node, node.args[0], null, node.args[1], scope);
  else if (node.op === "rcall") collectCall(node, node.args[0], node.args[1], node.args[2], scope);
  else for (const child of childrenOf(node)) collect(child, scope);
}

function checked(source: string): Expression {
  const parsed = LANGUAGE.parse(source);
  const scope: Scope = { references: [], mentions: [], bound: new Set(), barred: new Set(), loops: { count: 0 } };
  collect(parsed.ast, scope);
  const { references, mentions } = scope;
  const secret = references.some(({ root }) => root === "secrets");
  if (secret && chainOf(parsed.ast) === null) {
    throw new Refusal("secret_alone", parsed.ast, "a secret stands alone, as in {{ secrets.token }}; put text around the braces instead");
  }
  const verdict = parsed.check();
  if (verdict.error !== undefined) throw verdict.error;
  return { source, references, mentions, evaluate: (values) => parsed(values) as unknown };
}

function problemOf(error: unknown): ExpressionProblem {
  if (error instanceof Refusal) {
    return { code: error.code, message: error.message, position: error.node.start, ...(error.values && { values: error.values }) };
  }
  if (error instanceof ParseError || error instanceof EvaluationError || (error instanceof Error && "summary" in error)) {
    const { summary, range, code } = error as ParseError;
    const kind = code === "unknown_variable" ? "not_in_scope" : "template_syntax";
    const hint = kind === "not_in_scope" ? "; in scope are params, nodes, run and secrets" : "";
    return { code: kind, message: `${excerpt(summary)}${hint}`, position: range?.start ?? 0, values: { detail: excerpt(summary) } };
  }
  throw error;
}

/** Parses and judges one expression; nothing of it is evaluated. */
export function parseExpression(source: string): ParsedExpression {
  if (source.trim() === "")
    return { ok: false, problem: { code: "template_syntax", message: "the braces are empty", position: 0, values: { detail: "" } } };
  if (source.length > MAX_LENGTH) {
    const message = `an expression has at most ${MAX_LENGTH} characters; do more in a command or a handler`;
    return { ok: false, problem: { code: "too_complex", message, position: 0 } };
  }
  try {
    return { ok: true, expression: checked(source) };
  } catch (error) {
    return { ok: false, problem: problemOf(error) };
  }
}

/** The names along a reference, its root first. */
export function stepsOf(reference: Reference): readonly string[] {
  switch (reference.root) {
    case "params":
      return reference.name === null ? ["params"] : ["params", reference.name, ...reference.path];
    case "nodes":
      return ["nodes", reference.key, "output", ...reference.path];
    case "run":
      return ["run", reference.field, ...reference.path];
    case "secrets":
      return ["secrets", reference.name];
  }
}

/** `nodes.pull.output.file`, as an author would write it. */
export const referenceText = (reference: Reference): string => pathText(stepsOf(reference));
