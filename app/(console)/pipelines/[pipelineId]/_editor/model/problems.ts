import { emptyDefinition } from "@/server/domain/pipeline/defaults";
import type { NodeDefinition, PipelineDefinition } from "@/server/domain/pipeline/definition";
import type { DefinitionIssue } from "@/server/domain/pipeline/issue";
import { parseDefinition } from "@/server/domain/pipeline/parse-definition";
import { validateDefinition } from "@/server/domain/pipeline/validate";

/** Where a problem leads: a node's field, or a field of the pipeline's own form. */
export interface Problem extends DefinitionIssue {
  /** The key of the node at fault; null for the pipeline itself. */
  readonly nodeKey: string | null;
  /** The path inside the node, or inside the definition. */
  readonly field: string;
}

const PLAIN = emptyDefinition({ name: "a", title: "a", owner: "a", domain: "A" });
const NODE = /^spec\.nodes\[(\d+)\]\.?/;

function placed(definition: PipelineDefinition, issue: DefinitionIssue): Problem {
  const found = NODE.exec(issue.path);
  const node = definition.spec.nodes[Number(found?.[1] ?? -1)];
  if (found === null || node === undefined) return { ...issue, nodeKey: null, field: issue.path };
  return { ...issue, nodeKey: node.key, field: issue.path.slice(found[0].length) };
}

/** Findings of one node's own shape, by their paths inside it; kept as long as the node is as it was. */
const SHAPES = new WeakMap<NodeDefinition, readonly DefinitionIssue[]>();

function nodeShape(node: NodeDefinition): readonly DefinitionIssue[] {
  const known = SHAPES.get(node);
  if (known !== undefined) return known;
  const parsed = parseDefinition({ ...PLAIN, spec: { ...PLAIN.spec, nodes: [node] } });
  const issues = parsed.ok ? [] : parsed.issues.map((issue) => ({ ...issue, path: issue.path.replace(NODE, "") }));
  SHAPES.set(node, issues);
  return issues;
}

function shapeOf(definition: PipelineDefinition): readonly DefinitionIssue[] {
  const parsed = parseDefinition({ ...definition, spec: { ...definition.spec, nodes: [] } });
  const inside = definition.spec.nodes.flatMap((node, index) =>
    nodeShape(node).map((issue) => ({ ...issue, path: `spec.nodes[${index}].${issue.path}` })),
  );
  return [...(parsed.ok ? [] : parsed.issues), ...inside];
}

/** Everything that stands in the way of publishing, the shape of fields first. */
export function problemsOf(definition: PipelineDefinition): readonly Problem[] {
  const shape = shapeOf(definition);
  const told = new Set(shape.map(({ path }) => path));
  const deeper = validateDefinition(definition).filter(({ path }) => !told.has(path));
  return [...shape, ...deeper].map((issue) => placed(definition, issue));
}

export function problemsByNode(problems: readonly Problem[]): ReadonlyMap<string, readonly Problem[]> {
  const byNode = new Map<string, Problem[]>();
  for (const problem of problems) {
    if (problem.nodeKey !== null) byNode.set(problem.nodeKey, [...(byNode.get(problem.nodeKey) ?? []), problem]);
  }
  return byNode;
}

/** The first problem of a field or of anything inside it. */
export function problemAt(problems: readonly Problem[], field: string): Problem | undefined {
  return problems.find(
    (problem) => problem.field === field || problem.field.startsWith(`${field}.`) || problem.field.startsWith(`${field}[`),
  );
}
