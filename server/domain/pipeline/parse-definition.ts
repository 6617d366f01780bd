import { definitionSchema, MAX_DEFINITION_BYTES, NODE_TYPES, type PipelineDefinition } from "./definition";
import type { DefinitionIssue } from "./issue";
import { parseText } from "./parse-text";
import { type Json, toPlainTree } from "./plain-tree";
import { schemaIssues } from "./schema-issues";

export type ParsedDefinition =
  | { readonly ok: true; readonly definition: PipelineDefinition }
  | { readonly ok: false; readonly issues: readonly DefinitionIssue[] };

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A union on `type` cannot say which types there are, so unknown ones are named before the schema sees them. */
function nodeTypeIssues(value: Json): DefinitionIssue[] {
  const spec = isRecord(value) ? value.spec : undefined;
  const nodes = isRecord(spec) ? spec.nodes : undefined;
  if (!Array.isArray(nodes)) return [];
  const known: ReadonlySet<unknown> = new Set(NODE_TYPES);
  return nodes.slice(0, 100).flatMap((node: unknown, index): DefinitionIssue[] => {
    if (!isRecord(node) || known.has(node.type)) return [];
    const choices = NODE_TYPES.join(", ");
    const path = `spec.nodes[${index}].type`;
    if (node.type === undefined)
      return [{ path, code: "required", message: `type is missing; use one of: ${choices}`, values: { field: "type" } }];
    return [{ path, code: "not_a_choice", message: `use one of: ${choices}`, values: { choices } }];
  });
}

/**
 * Judges any value as a definition: its shape and its texts. What only the whole can tell
 * (cycles, references, schedules) is for `validateDefinition`.
 */
export function parseDefinition(input: unknown): ParsedDefinition {
  const tree = toPlainTree(input);
  if (tree.issues.length > 0) return { ok: false, issues: tree.issues };
  const typeIssues = nodeTypeIssues(tree.value);
  const result = definitionSchema.safeParse(tree.value, { reportInput: true });
  if (result.success) return { ok: true, definition: result.data };
  const named = new Set(typeIssues.map(({ path }) => path));
  return { ok: false, issues: [...typeIssues, ...schemaIssues(result.error).filter(({ path }) => !named.has(path))] };
}

/** The same for YAML or JSON text, at most 1 MB. */
export function parseDefinitionText(text: string): ParsedDefinition {
  if (text.length > MAX_DEFINITION_BYTES || new TextEncoder().encode(text).length > MAX_DEFINITION_BYTES) {
    const message = `The definition is larger than ${MAX_DEFINITION_BYTES} bytes; move large values to where the nodes run`;
    return { ok: false, issues: [{ path: "", code: "too_large", message, values: { max: MAX_DEFINITION_BYTES } }] };
  }
  const parsed = parseText(text);
  return parsed.ok ? parseDefinition(parsed.value) : parsed;
}
