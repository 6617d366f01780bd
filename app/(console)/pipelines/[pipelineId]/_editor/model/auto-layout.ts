import dagre from "@dagrejs/dagre";
import type { DraftLayout } from "@/server/domain/pipeline/draft";
import type { GraphNode } from "@/server/domain/pipeline/graph";
import { CARD, GRID, type Point, snap } from "./editor-draft";

const GAP = { between: 32, layers: 68 } as const;

/** Layers from left to right, every node right of all that it needs. */
export function autoLayout(nodes: readonly GraphNode[]): DraftLayout {
  const graph = new dagre.graphlib.Graph();
  // Laid out backwards and from the right, so that every node stands as far left as its needs allow.
  graph.setGraph({ rankdir: "RL", ranker: "longest-path", nodesep: GAP.between, ranksep: GAP.layers, marginx: GRID, marginy: GRID });
  graph.setDefaultEdgeLabel(() => ({}));
  const keys = new Set(nodes.map(({ key }) => key));
  for (const key of keys) graph.setNode(key, { width: CARD.width, height: CARD.height });
  for (const { key, needs } of nodes) {
    for (const need of needs) if (keys.has(need) && need !== key) graph.setEdge(key, need);
  }
  dagre.layout(graph);
  return Object.fromEntries(
    [...keys].map((key) => {
      const { x, y } = graph.node(key) as Point;
      return [key, snap({ x: x - CARD.width / 2, y: y - CARD.height / 2 })];
    }),
  );
}

const overlaps = (one: Point, other: Point) =>
  Math.abs(one.x - other.x) < CARD.width + GRID && Math.abs(one.y - other.y) < CARD.height + GRID;

/** A free place for one more card: right of the rightmost need, else under everything. */
export function freePlace(layout: DraftLayout, needs: readonly string[]): Point {
  const taken = Object.values(layout);
  const before = needs.flatMap((need) => layout[need] ?? []);
  const [first] = before;
  let place: Point;
  if (first !== undefined) {
    place = { x: Math.max(...before.map(({ x }) => x)) + CARD.width + GAP.layers, y: first.y };
  } else if (taken.length > 0) {
    place = { x: Math.min(...taken.map(({ x }) => x)), y: Math.max(...taken.map(({ y }) => y)) + CARD.height + GAP.between };
  } else place = { x: GRID, y: GRID };
  place = snap(place);
  while (taken.some((other) => overlaps(place, other))) place = { x: place.x, y: place.y + CARD.height + GAP.between };
  return place;
}

/** The stored positions, and a place for every node that has none (a pipeline that came as YAML has none at all). */
export function completeLayout(nodes: readonly GraphNode[], layout: DraftLayout): DraftLayout {
  if (nodes.every(({ key }) => layout[key] !== undefined)) return layout;
  if (nodes.every(({ key }) => layout[key] === undefined)) return autoLayout(nodes);
  const complete: DraftLayout = { ...layout };
  for (const { key, needs } of nodes) complete[key] ??= freePlace(complete, needs);
  return complete;
}
