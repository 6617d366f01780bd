import { NODE_DEFAULTS } from "@/server/domain/pipeline/defaults";
import type { NodeDefinition, NodeType, PipelineDefinition } from "@/server/domain/pipeline/definition";
import type { DraftLayout } from "@/server/domain/pipeline/draft";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What an author works on: the definition, and where its cards stand. */
export interface EditorDraft {
  readonly definition: PipelineDefinition;
  readonly layout: DraftLayout;
}

/** Pixels of a card; layouts and snapping reckon with it. */
export const CARD = { width: 220, height: 64 } as const;
export const GRID = 16;

export const snap = ({ x, y }: Point): Point => ({ x: Math.round(x / GRID) * GRID, y: Math.round(y / GRID) * GRID });

export function findNode(draft: EditorDraft, key: string): NodeDefinition | undefined {
  return draft.definition.spec.nodes.find((node) => node.key === key);
}

/** The name itself if it is free, else with the first free number behind it. */
export function freeName(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  const stem = base.replace(/_\d+$/, "");
  let number = 2;
  while (taken.has(`${stem}_${number}`)) number += 1;
  return `${stem}_${number}`;
}

const FIRST_KEY: Record<NodeType, string> = { http: "request", command: "command", handler: "task", wait: "wait" };

const FIRST_WITH = {
  http: { method: "GET", url: "" },
  command: { argv: [] },
  handler: { task: "" },
  wait: { for: "5m" },
} as const satisfies Record<NodeType, object>;

/** A node of this type as it is before its form is filled in. */
export function newNode(type: NodeType, taken: ReadonlySet<string>, needs: readonly string[]): NodeDefinition {
  const settings = structuredClone(NODE_DEFAULTS);
  const { with: _, ...rest } = { ...settings, key: freeName(FIRST_KEY[type], taken), type, needs: [...needs], with: null };
  return { ...rest, with: structuredClone(FIRST_WITH[type]) } as unknown as NodeDefinition;
}

export function withNodes(draft: EditorDraft, nodes: readonly NodeDefinition[], layout: DraftLayout = draft.layout): EditorDraft {
  return { definition: { ...draft.definition, spec: { ...draft.definition.spec, nodes: [...nodes] } }, layout };
}

export function withNode(draft: EditorDraft, key: string, change: (node: NodeDefinition) => NodeDefinition): EditorDraft {
  return withNodes(
    draft,
    draft.definition.spec.nodes.map((node) => (node.key === key ? change(node) : node)),
  );
}
