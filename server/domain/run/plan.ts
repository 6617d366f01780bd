import { durationMs } from "../duration";
import type { NodeDefinition, PipelineDefinition } from "../pipeline/definition";
import { successorsByKey, topologicalOrder } from "../pipeline/graph";
import { templatesOfNode } from "../pipeline/node-templates";
import { parseTemplate, referencesOf } from "../pipeline/template";
import { resolveRetryPolicy } from "../retry/policy";
import type { PlanNode, RunPlan } from "./model";

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

function planNode(node: NodeDefinition, all: readonly NodeDefinition[]): PlanNode {
  const reads = [...new Set(namedOutputs(node))];
  return {
    key: node.key,
    type: node.type,
    group: node.group,
    pool: node.type === "wait" ? null : (node.pool ?? null),
    needs: [...new Set(node.needs)],
    join: node.join,
    ...resolveRetryPolicy(node.retry),
    timeoutMs: durationMs(node.timeout),
    deadlineMs: durationMs(node.deadline),
    priority: node.priority,
    module: node.module ?? null,
    waitMs: node.type === "wait" && "for" in node.with ? durationMs(node.with.for) : null,
    waitUntil: node.type === "wait" && "until" in node.with ? node.with.until : null,
    inputsFrom: [...new Set([...node.needs, ...reads])],
    reads,
    standsInFor: principalsOf(all, node.key),
  };
}

/** The plan of a published version, whose validation has refused cycles and unknown needs. */
export function planOf(versionId: string, definition: PipelineDefinition): RunPlan {
  const order = topologicalOrder(definition.spec.nodes);
  if (order === null) throw new RangeError(`version ${versionId} has a cycle and cannot be planned`);
  const all = definition.spec.nodes;
  const byKey = new Map(all.map((node) => [node.key, planNode(node, all)]));
  const nodes = order.flatMap((key) => byKey.get(key) ?? []);
  return {
    versionId,
    domain: definition.spec.domain,
    onFailure: definition.spec.onFailure,
    nodes,
    byKey,
    successors: successorsByKey(definition.spec.nodes),
  };
}

/** Everything that waits for `key`, directly or through others, in topological order. */
export function descendantsIn(plan: RunPlan, key: string): readonly PlanNode[] {
  const found = new Set([key]);
  return plan.nodes.filter((node) => {
    const below = node.key !== key && node.needs.some((need) => found.has(need));
    if (below) found.add(node.key);
    return below;
  });
}
