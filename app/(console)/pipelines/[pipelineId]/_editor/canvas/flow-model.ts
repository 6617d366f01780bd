import type { Edge, Node } from "@xyflow/react";
import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import type { DraftLayout } from "@/server/domain/pipeline/draft";
import { CARD, type Point } from "../model/editor-draft";
import type { Problem } from "../model/problems";

export interface CardData extends Record<string, unknown> {
  readonly definition: NodeDefinition;
  readonly problems: readonly Problem[];
  readonly faded: boolean;
}
export type CardNode = Node<CardData, "card">;
export type NeedEdge = Edge<Record<string, unknown>, "need">;

export interface FlowInput {
  readonly nodes: readonly NodeDefinition[];
  readonly layout: DraftLayout;
  readonly moving: ReadonlyMap<string, Point>;
  readonly selection: ReadonlySet<string>;
  readonly problemsOf: ReadonlyMap<string, readonly Problem[]>;
  /** Null while nothing is searched for. */
  readonly hits: ReadonlySet<string> | null;
}

const NONE: readonly Problem[] = [];

function sameCard(card: CardNode, next: CardNode): boolean {
  return (
    card.data.definition === next.data.definition &&
    card.data.problems === next.data.problems &&
    card.data.faded === next.data.faded &&
    card.selected === next.selected &&
    card.position.x === next.position.x &&
    card.position.y === next.position.y
  );
}

/** Cards as React Flow wants them; a card that did not change is the same object, so that it is not drawn again. */
export function flowNodes(input: FlowInput, before: ReadonlyMap<string, CardNode>): readonly CardNode[] {
  return input.nodes.map((definition) => {
    const { key } = definition;
    const card: CardNode = {
      id: key,
      type: "card",
      position: input.moving.get(key) ?? input.layout[key] ?? { x: 0, y: 0 },
      width: CARD.width,
      height: CARD.height,
      measured: CARD,
      ariaLabel: definition.title ?? key,
      selected: input.selection.has(key),
      data: { definition, problems: input.problemsOf.get(key) ?? NONE, faded: input.hits !== null && !input.hits.has(key) },
    };
    const old = before.get(key);
    return old !== undefined && sameCard(old, card) ? old : card;
  });
}

export const edgeId = (from: string, to: string): string => `${from} ${to}`;

/** Lines as React Flow wants them; a line that did not change is the same object. */
export function flowEdges(
  nodes: readonly NodeDefinition[],
  selected: ReadonlySet<string>,
  before: ReadonlyMap<string, NeedEdge>,
): readonly NeedEdge[] {
  const keys = new Set(nodes.map(({ key }) => key));
  return nodes.flatMap(({ key, needs }) =>
    needs
      .filter((need) => keys.has(need))
      .map((need): NeedEdge => {
        const id = edgeId(need, key);
        const old = before.get(id);
        if (old !== undefined && old.selected === selected.has(id)) return old;
        return { id, type: "need", source: need, target: key, selected: selected.has(id) };
      }),
  );
}
