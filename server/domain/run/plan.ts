import { durationMs } from "../duration";
import type { NodeDefinition, PipelineDefinition, RetryDefinition } from "../pipeline/definition";
import { successorsByKey, topologicalOrder } from "../pipeline/graph";
import { templatesOfNode } from "../pipeline/node-templates";
import { parseTemplate, referencesOf } from "../pipeline/template";
import { policyOf } from "../retry/policy";
import { isDegraded } from "./join";
import type { NodeFacts, PlanNode, RunPlan } from "./model";

/** Keys of the nodes whose outputs the templates of a node name. */
function namedOutputs(node: NodeDefinition): string[] {
  return templatesOfNode(node).flatMap(({ text }) => {
    const parsed = parseTemplate(text);
    return parsed.ok ? referencesOf(parsed.template).flatMap((reference) => (reference.root === "nodes" ? [reference.key] : [])) : [];
  });
}

/** Nodes that name `key` as the one that stands in for them or undoes them. */
const principalsOf = (nodes: readonly NodeDefinition[], key: string): string[] =>
  nodes.flatMap((node) => (node.fallback === key || node.compensate === key ? [node.key] : []));

/** The node that stands in for `key`, the one that stands in for that, and so on. */
function standInsOf(all: readonly NodeDefinition[], key: string): string[] {
  const found = new Set<string>();
  for (let at = fallbackOf(all, key); at !== undefined && at !== key && !found.has(at); at = fallbackOf(all, at)) found.add(at);
  return [...found];
}

const fallbackOf = (all: readonly NodeDefinition[], key: string) => all.find((node) => node.key === key)?.fallback;

function planNode(node: NodeDefinition, all: readonly NodeDefinition[], retry: RetryDefinition | undefined): PlanNode {
  const reads = [...new Set(namedOutputs(node))];
  // Where one of them is degraded, what stands in for it is read in its place.
  const sources = [...node.needs, ...reads].flatMap((key) => [key, ...standInsOf(all, key)]);
  return {
    key: node.key,
    type: node.type,
    group: node.group,
    pool: node.type === "wait" ? null : (node.pool ?? null),
    needs: [...new Set(node.needs)],
    join: node.join,
    ...policyOf(node.retry, retry),
    timeoutMs: durationMs(node.timeout),
    deadlineMs: durationMs(node.deadline),
    priority: node.priority,
    module: node.module ?? null,
    waitMs: node.type === "wait" && "for" in node.with ? durationMs(node.with.for) : null,
    waitUntil: node.type === "wait" && "until" in node.with ? node.with.until : null,
    inputsFrom: [...new Set(sources)].filter((key) => key !== node.key),
    reads,
    standsInFor: principalsOf(all, node.key),
    fallback: node.fallback ?? null,
  };
}

/** The plan of a published version, whose validation has refused cycles and unknown needs. */
export function planOf(versionId: string, definition: PipelineDefinition): RunPlan {
  const order = topologicalOrder(definition.spec.nodes);
  if (order === null) throw new RangeError(`version ${versionId} has a cycle and cannot be planned`);
  const all = definition.spec.nodes;
  const byKey = new Map(all.map((node) => [node.key, planNode(node, all, definition.spec.retry)]));
  const nodes = order.flatMap((key) => byKey.get(key) ?? []);
  return {
    versionId,
    domain: definition.spec.domain,
    onFailure: definition.spec.onFailure,
    hasFallbacks: all.some((node) => node.fallback !== undefined),
    nodes,
    byKey,
    successors: successorsByKey(definition.spec.nodes),
  };
}

/**
 * Everything that waits for `key`, directly or through others, in topological order. What stands by for a node comes after it,
 * unless it stands in for another already; and what waits for a degraded node comes after what stands in for it.
 */
export function descendantsIn(plan: RunPlan, key: string, nodes: ReadonlyMap<string, NodeFacts>): readonly PlanNode[] {
  const found = new Set([key]);
  const isDegradedNow = (each: string) => isDegraded(nodes.get(each) ?? NOT_SKIPPED);
  const isBelow = (node: PlanNode) =>
    node.needs.some((need) => found.has(need) || (isDegradedNow(need) && standIns(plan, need).some((each) => found.has(each)))) ||
    standsByBelow(node);
  const standsByBelow = ({ key: standIn, standsInFor }: PlanNode) => {
    const principals = standsInFor.filter((each) => plan.byKey.get(each)?.fallback === standIn);
    return principals.some((each) => found.has(each)) && !principals.some((each) => isDegradedNow(each) && !found.has(each));
  };
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const node of plan.nodes) if (isBelow(node)) found.add(node.key);
    if (!plan.hasFallbacks) break;
  }
  return plan.nodes.filter((node) => node.key !== key && found.has(node.key));
}

const NOT_SKIPPED = { state: "PENDING", skipCause: null } as const;

/** What stands in for a node, the nearest first; each once, whatever names whom. */
export function standIns(plan: RunPlan, key: string): readonly string[] {
  const found = new Set<string>();
  for (let at = plan.byKey.get(key)?.fallback; at && at !== key && !found.has(at); at = plan.byKey.get(at)?.fallback) found.add(at);
  return [...found];
}
