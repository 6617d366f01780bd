import dagre from "@dagrejs/dagre";
import { NODE_CARD } from "@/app/_ui/node-card";
import type { NodeView } from "../../views";

export interface GraphLayout {
  /** Along which its layers go. */
  direction: "right" | "down";
  width: number;
  height: number;
  /** Left upper corners. */
  places: ReadonlyMap<string, { x: number; y: number }>;
}

type Linked = Pick<NodeView, "key" | "needs">;

const GAP = { right: { between: 28, layers: 60 }, down: { between: 24, layers: 40 } } as const;
const MARGIN = 24;
/** Below this nothing of a card is told; one moves over the graph instead. */
const SMALLEST = 0.25;

/** One after the other, without a branch: a list says the same with less. */
export function isChain(nodes: readonly Linked[]): boolean {
  const followers = new Map<string, number>();
  for (const node of nodes) {
    if (node.needs.length > 1) return false;
    for (const need of node.needs) followers.set(need, (followers.get(need) ?? 0) + 1);
  }
  return nodes.filter((node) => node.needs.length === 0).length <= 1 && [...followers.values()].every((n) => n === 1);
}

/** How many nodes stand before each on its longest way; the nodes come in topological order. */
function depths(nodes: readonly Linked[]): ReadonlyMap<string, number> {
  const depth = new Map<string, number>();
  for (const { key, needs } of nodes) depth.set(key, Math.max(0, ...needs.map((need) => (depth.get(need) ?? 0) + 1)));
  return depth;
}

export function layOutGraph(nodes: readonly Linked[], direction: GraphLayout["direction"]): GraphLayout {
  const graph = new dagre.graphlib.Graph();
  const gap = GAP[direction];
  graph.setGraph({
    rankdir: direction === "right" ? "LR" : "TB",
    nodesep: gap.between,
    ranksep: gap.layers,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { key } of nodes) graph.setNode(key, { width: NODE_CARD.width, height: NODE_CARD.height });
  const depth = depths(nodes);
  const deepest = Math.max(0, ...depth.values());
  for (const { key, needs } of nodes) {
    // The earlier a line, the dearer its length: a short branch then begins with the others and waits at its end.
    for (const need of needs) graph.setEdge(need, key, { weight: 1 + deepest - (depth.get(need) ?? 0) });
  }
  dagre.layout(graph);
  const places = new Map(
    nodes.map(({ key }) => {
      const { x, y } = graph.node(key) as { x: number; y: number };
      return [key, { x: x - NODE_CARD.width / 2, y: y - NODE_CARD.height / 2 }] as const;
    }),
  );
  const right = Math.max(0, ...[...places.values()].map(({ x }) => x + NODE_CARD.width));
  const bottom = Math.max(0, ...[...places.values()].map(({ y }) => y + NODE_CARD.height));
  return { direction, width: right + MARGIN, height: bottom + MARGIN, places };
}

const scaleIn = (layout: GraphLayout, room: { width: number; height: number }) =>
  Math.min(1, room.width / layout.width, room.height / layout.height);

/** Where the whole of it is seen as large as can be: in the middle, or from the top where one reads downwards. */
export function viewOf(
  layout: GraphLayout,
  room: { width: number; height: number },
  fromTop: boolean,
): { x: number; y: number; zoom: number } {
  const zoom = Math.max(SMALLEST, scaleIn(layout, room));
  const left = (space: number, size: number) => Math.max(0, (space - size * zoom) / 2);
  return { x: left(room.width, layout.width), y: fromTop ? 0 : left(room.height, layout.height), zoom };
}

/** To the right as in the editor, unless the room makes it clearly smaller than downwards. */
export function layOutFor(nodes: readonly Linked[], room: { width: number; height: number }): GraphLayout {
  const right = layOutGraph(nodes, "right");
  const scale = scaleIn(right, room);
  if (scale === 1) return right;
  const down = layOutGraph(nodes, "down");
  return scaleIn(down, room) > scale * 1.15 ? down : right;
}
