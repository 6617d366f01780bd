import { z } from "zod";
import { NODE_DEFAULTS, SCHEDULE_DEFAULTS } from "./defaults";
import { definitionSchema, MAX_DEFINITION_BYTES, MAX_NODES, type PipelineDefinition } from "./definition";
import type { DefinitionIssue } from "./issue";
import { type Json, toPlainTree } from "./plain-tree";
import { schemaIssues } from "./schema-issues";

/** Where the cards stand on the canvas: view data, beside the definition and never inside it. */
export const layoutSchema = z
  .record(z.string().max(64), z.strictObject({ x: z.number(), y: z.number() }))
  .refine((layout) => Object.keys(layout).length <= MAX_NODES, { error: `a layout has at most ${MAX_NODES} positions` });
export type DraftLayout = z.infer<typeof layoutSchema>;

export type ParsedDraft =
  | { readonly ok: true; readonly definition: PipelineDefinition }
  | { readonly ok: false; readonly issues: readonly DefinitionIssue[] };

/** Findings that would leave an editor without a field it draws; all others are an author's unfinished work. */
const STRUCTURAL: ReadonlySet<string> = new Set(["invalid_type", "required", "unknown_field", "not_a_choice", "too_many"]);

type Fields = { [key: string]: Json };

const isFields = (value: Json | undefined): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const filled = (defaults: object, value: Json): Json => (isFields(value) ? { ...(defaults as Fields), ...value } : value);
const filledNode = (node: Json): Json => {
  const whole = filled(NODE_DEFAULTS, node);
  return isFields(whole) && whole.type === "http" ? { ...whole, with: filled({ method: "GET" }, whole.with ?? null) } : whole;
};
const eachFilled = (defaults: object, list: Json | undefined): Json =>
  Array.isArray(list) ? list.map((entry) => filled(defaults, entry)) : (list ?? []);

function withDefaults(value: Json): Json {
  if (!isFields(value) || !isFields(value.spec) || !isFields(value.metadata)) return value;
  const spec = filled({ taskClass: "basic", onFailure: "pause", params: {}, businessKeys: [] }, value.spec) as Fields;
  return {
    ...value,
    metadata: filled({ labels: {} }, value.metadata),
    spec: {
      ...spec,
      schedules: eachFilled(SCHEDULE_DEFAULTS, spec.schedules),
      nodes: Array.isArray(spec.nodes) ? spec.nodes.map(filledNode) : (spec.nodes ?? []),
    },
  };
}

/**
 * Accepts what an author has so far: an empty address, a half-typed cron, a need that is gone. Refuses
 * only what no editor could show again (a field of the wrong type, a field that nobody knows).
 */
export function parseDraft(input: unknown): ParsedDraft {
  const tree = toPlainTree(input);
  if (tree.issues.length > 0) return { ok: false, issues: tree.issues };
  const value = withDefaults(tree.value);
  if (JSON.stringify(value).length > MAX_DEFINITION_BYTES) {
    const message = `The draft is larger than ${MAX_DEFINITION_BYTES} characters; move large values to where the nodes run`;
    return { ok: false, issues: [{ path: "", code: "too_large", message, values: { max: MAX_DEFINITION_BYTES } }] };
  }
  const result = definitionSchema.safeParse(value, { reportInput: true });
  if (result.success) return { ok: true, definition: result.data };
  const issues = schemaIssues(result.error).filter(({ code }) => STRUCTURAL.has(code));
  return issues.length > 0 ? { ok: false, issues } : { ok: true, definition: value as PipelineDefinition };
}
