import { formatDuration, parseDuration } from "../duration";
import { validateSchedule } from "../schedule/validate-schedule";
import type { NodeDefinition, PipelineDefinition } from "./definition";
import { ancestorLookup, cycleText, findCycle } from "./graph";
import { type DefinitionIssue, excerpt, type PathPart, pathText } from "./issue";
import { templatesOfNode } from "./node-templates";
import { isRequired, paramFinding, validateParams } from "./params";
import { hasTemplate, parseTemplate, referencesOf, type TemplateProblem } from "./template";
import { type Reference, referenceText } from "./template-expression";

type Path = readonly PathPart[];

function issue(path: Path, code: string, message: string, values?: Record<string, string | number>): DefinitionIssue {
  return { path: pathText(path), code, message, ...(values && { values }) };
}

const nodePath = (index: number, ...rest: PathPart[]): Path => ["spec", "nodes", index, ...rest];

function repeats(values: readonly string[]): readonly number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}

function graphIssues(nodes: readonly NodeDefinition[]): DefinitionIssue[] {
  const keys = nodes.map(({ key }) => key);
  const known = new Set(keys);
  const issues = repeats(keys).map((index) => {
    const key = keys[index] ?? "";
    return issue(nodePath(index, "key"), "duplicate_key", `another node is called "${key}"; give each its own key`, { key });
  });
  nodes.forEach((node, index) => {
    const seen = new Set<string>();
    node.needs.forEach((need, at) => {
      const path = nodePath(index, "needs", at);
      if (need === node.key) issues.push(issue(path, "self_need", `"${need}" cannot need itself; remove it from needs`, { key: need }));
      else if (!known.has(need))
        issues.push(issue(path, "unknown_need", `there is no node "${need}"; correct the key or remove it`, { key: need }));
      else if (seen.has(need)) issues.push(issue(path, "duplicate_need", `"${need}" stands twice in needs; remove one`, { key: need }));
      seen.add(need);
    });
  });
  const cycle = findCycle(nodes.map((node) => ({ key: node.key, needs: node.needs.filter((need) => need !== node.key) })));
  if (cycle !== null) {
    const text = excerptCycle(cycle);
    const index = keys.indexOf(cycle[1] ?? "");
    issues.push(
      issue(nodePath(index, "needs"), "cycle", `the nodes wait for each other in a circle: ${text}; remove one of these needs`, {
        cycle: text,
      }),
    );
  }
  return issues;
}

function excerptCycle(cycle: readonly string[]): string {
  if (cycle.length <= 12) return cycleText(cycle);
  return cycleText([...cycle.slice(0, 8), `… ${cycle.length - 11} more …`, ...cycle.slice(-3)]);
}

interface Known {
  readonly params: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
  /** Null while the graph has a cycle: then nobody can say what comes before what. */
  readonly precedes: ((ancestor: string, of: string) => boolean) | null;
  /** Nodes that this one stands in for or undoes, whose predecessors it may therefore name. */
  readonly fallbacks: ReadonlyMap<string, string | undefined>;
  readonly principals: ReadonlyMap<string, readonly { readonly key: string; readonly own: boolean }[]>;
}

function principalsOf(nodes: readonly NodeDefinition[]): Known["principals"] {
  const principals = new Map<string, { key: string; own: boolean }[]>();
  const add = (helper: string | undefined, key: string, own: boolean) => {
    if (helper !== undefined) principals.set(helper, [...(principals.get(helper) ?? []), { key, own }]);
  };
  for (const node of nodes) {
    add(node.fallback, node.key, false);
    add(node.compensate, node.key, true);
  }
  return principals;
}

function mayName(known: Known, of: string, key: string): boolean {
  const { precedes } = known;
  if (precedes === null || precedes(key, of)) return true;
  return (known.principals.get(of) ?? []).some((principal) => (principal.own && principal.key === key) || precedes(key, principal.key));
}

function referenceIssue(known: Known, node: NodeDefinition, path: Path, reference: Reference): DefinitionIssue | null {
  const name = excerpt(referenceText(reference));
  if (reference.root === "params") {
    if (reference.name === null || known.params.has(reference.name)) return null;
    const message = `${name}: there is no parameter "${excerpt(reference.name)}"; add it to spec.params or correct the name`;
    return issue(path, "missing_reference", message, { reference: name });
  }
  if (reference.root !== "nodes") return null;
  if (!known.keys.has(reference.key)) {
    return issue(path, "missing_reference", `${name}: there is no node "${excerpt(reference.key)}"; correct the key`, { reference: name });
  }
  if (mayName(known, node.key, reference.key)) return null;
  const message = `${name}: "${reference.key}" does not come before "${node.key}"; add it to the needs of "${node.key}"`;
  return issue(path, "not_a_predecessor", message, { reference: name, key: reference.key });
}

type ReadTemplate = { readonly path: Path; readonly references: readonly Reference[]; readonly problem: TemplateProblem | null };

/** An editor judges after every key, and all nodes but one are as they were: what was read of them is kept as long as they are. */
const READ = new WeakMap<object, readonly ReadTemplate[]>();

function readTemplates(node: NodeDefinition): readonly ReadTemplate[] {
  const known = READ.get(node);
  if (known !== undefined) return known;
  const read = templatesOfNode(node).map(({ path, text }): ReadTemplate => {
    const parsed = parseTemplate(text);
    return parsed.ok
      ? { path, references: referencesOf(parsed.template), problem: null }
      : { path, references: [], problem: parsed.problem };
  });
  READ.set(node, read);
  return read;
}

function templateIssues(known: Known, node: NodeDefinition, index: number): DefinitionIssue[] {
  return readTemplates(node).flatMap(({ path, references, problem }) => {
    const at = nodePath(index, ...path);
    if (problem === null) return references.flatMap((reference) => referenceIssue(known, node, at, reference) ?? []);
    const { code, message, position = 0, values } = problem;
    return [issue(at, code, `${message} (at character ${position + 1})`, { position: position + 1, ...values })];
  });
}

function helperIssues(known: Known, node: NodeDefinition, index: number): DefinitionIssue[] {
  return (["fallback", "compensate"] as const).flatMap((field) => {
    const key = node[field];
    if (key === undefined) return [];
    if (key === node.key) return [issue(nodePath(index, field), "self_reference", `"${key}" cannot be its own ${field}`, { key })];
    if (known.keys.has(key)) return field === "fallback" ? fallbackIssues(known, node, key, index) : [];
    return [issue(nodePath(index, field), "unknown_node", `there is no node "${key}"; correct the key or remove it`, { key })];
  });
}

/** Where what stands in for a node leads back to it, a failure of them all would leave the node waiting for itself. */
function fallbackIssues(known: Known, node: NodeDefinition, key: string, index: number): DefinitionIssue[] {
  const at = nodePath(index, "fallback");
  const chain = new Set<string>([node.key]);
  for (let next: string | undefined = key; next !== undefined; next = known.fallbacks.get(next)) {
    if (chain.has(next)) {
      if (next !== node.key) break;
      const names = [...chain, next].join(" → ");
      return [
        issue(at, "fallback_cycle", `the fallbacks lead back to "${node.key}": ${names}; take one of them away`, { key: node.key, names }),
      ];
    }
    chain.add(next);
  }
  return [];
}

function timeIssues(node: NodeDefinition, index: number): DefinitionIssue[] {
  const [deadlineMs, timeoutMs] = [parseDuration(node.deadline), parseDuration(node.timeout)];
  if (deadlineMs === null || timeoutMs === null || deadlineMs >= timeoutMs) return [];
  const timeout = formatDuration(timeoutMs);
  const message = `the total deadline is shorter than the timeout of one attempt (${timeout}); raise the deadline or lower the timeout`;
  return [issue(nodePath(index, "deadline"), "deadline_below_timeout", message, { timeout })];
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

function targetIssues(node: NodeDefinition, index: number): DefinitionIssue[] {
  if (node.type === "http" && !node.with.url.startsWith("{{") && !/^https?:\/\/[^/\s]/i.test(node.with.url)) {
    return [issue(nodePath(index, "with", "url"), "not_a_url", "write a whole address that starts with http:// or https://")];
  }
  if (node.type === "wait" && "until" in node.with && !hasTemplate(node.with.until)) {
    if (INSTANT.test(node.with.until) && !Number.isNaN(Date.parse(node.with.until))) return [];
    return [
      issue(
        nodePath(index, "with", "until"),
        "not_an_instant",
        "write an instant with its zone, such as 2026-03-01T06:00:00+08:00, or a template",
      ),
    ];
  }
  return [];
}

function paramIssues(definition: PipelineDefinition): DefinitionIssue[] {
  const { params, businessKeys } = definition.spec;
  const issues = Object.entries(params).flatMap(([name, param]) => {
    const path = ["spec", "params", name];
    const sized = param.type === "string" || param.type === "integer" || param.type === "number";
    if (!sized && (param.min ?? param.max) !== undefined) {
      return [
        issue(
          [...path, param.min === undefined ? "max" : "min"],
          "bounds_unused",
          "only string, integer and number have min and max; remove it",
        ),
      ];
    }
    const finding =
      param.default === undefined || (param.default === null && !isRequired(param)) ? null : paramFinding(param, param.default);
    return finding === null ? [] : [issue([...path, "default"], finding.code, `the default ${finding.message}`, finding.values)];
  });
  businessKeys.forEach((name, index) => {
    const path = ["spec", "businessKeys", index];
    if (!Object.hasOwn(params, name))
      issues.push(issue(path, "unknown_param", `there is no parameter "${name}"; add it to spec.params`, { name }));
    else if (businessKeys.indexOf(name) < index)
      issues.push(issue(path, "duplicate_key", `"${name}" stands twice; remove one`, { key: name }));
  });
  return issues;
}

function scheduleIssues(definition: PipelineDefinition): DefinitionIssue[] {
  const { schedules, params } = definition.spec;
  const names = schedules.map(({ name }) => name);
  const issues = repeats(names).map((index) => {
    const name = names[index] ?? "";
    return issue(["spec", "schedules", index, "name"], "duplicate_key", `another schedule is called "${name}"; give each its own name`, {
      key: name,
    });
  });
  schedules.forEach((schedule, index) => {
    issues.push(...validateSchedule(schedule, pathText(["spec", "schedules", index])));
    const given = validateParams(params, schedule.params ?? {});
    if (given.ok) return;
    const base = pathText(["spec", "schedules", index, "params"]);
    issues.push(...given.issues.map((found) => ({ ...found, path: found.path === "" ? base : `${base}.${found.path}` })));
  });
  return issues;
}

/**
 * Everything that would keep a well-formed definition from working, found before it is published (PIP-6).
 * Each issue's path leads to the field at fault, so that the editor can mark the node.
 */
export function validateDefinition(definition: PipelineDefinition): readonly DefinitionIssue[] {
  const { nodes, params } = definition.spec;
  const known: Known = {
    params: new Set(Object.keys(params)),
    keys: new Set(nodes.map(({ key }) => key)),
    precedes: ancestorLookup(nodes),
    fallbacks: new Map(nodes.map(({ key, fallback }) => [key, fallback])),
    principals: principalsOf(nodes),
  };
  const empty = nodes.length === 0 ? [issue(["spec", "nodes"], "no_nodes", "a pipeline needs at least one node; add one")] : [];
  return [
    ...empty,
    ...graphIssues(nodes),
    ...nodes.flatMap((node, index) => [
      ...targetIssues(node, index),
      ...templateIssues(known, node, index),
      ...helperIssues(known, node, index),
      ...timeIssues(node, index),
    ]),
    ...paramIssues(definition),
    ...scheduleIssues(definition),
  ];
}
