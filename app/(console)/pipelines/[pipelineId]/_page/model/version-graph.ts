import { NODE_CARD } from "@/app/_ui/node-card";
import type { GraphNode } from "@/server/domain/pipeline/graph";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface DrawnGraph {
  readonly width: number;
  readonly height: number;
  readonly places: ReadonlyMap<string, Point>;
  /** SVG paths of the lines, with what they join. */
  readonly lines: readonly { readonly from: string; readonly to: string; readonly path: string }[];
}

const MARGIN = 12;
const RADIUS = 6;

/** From the right side of one card to the left side of the next, round the corners where they do not lie level. */
function linePath(from: Point, to: Point): string {
  const [x1, y1] = [from.x + NODE_CARD.width, from.y + NODE_CARD.height / 2];
  const [x2, y2] = [to.x, to.y + NODE_CARD.height / 2];
  if (Math.abs(y2 - y1) < 1) return `M${x1} ${y1}H${x2}`;
  const middle = x2 > x1 ? (x1 + x2) / 2 : x1 + 16;
  const down = y2 > y1 ? 1 : -1;
  const r = Math.min(RADIUS, Math.abs(y2 - y1) / 2, Math.max(1, Math.abs(middle - x1)));
  const ahead = x2 > middle ? 1 : -1;
  return [
    `M${x1} ${y1}H${middle - r}`,
    `Q${middle} ${y1} ${middle} ${y1 + down * r}`,
    `V${y2 - down * r}`,
    `Q${middle} ${y2} ${middle + ahead * r} ${y2}`,
    `H${x2}`,
  ].join("");
}

/** The stored positions moved to the upper left corner, and the lines between them. */
export function drawGraph(nodes: readonly GraphNode[], layout: Readonly<Record<string, Point>>): DrawnGraph {
  const known = nodes.flatMap((node) => {
    const place = layout[node.key];
    return place ? [{ ...node, place }] : [];
  });
  const left = Math.min(...known.map(({ place }) => place.x), Number.POSITIVE_INFINITY);
  const top = Math.min(...known.map(({ place }) => place.y), Number.POSITIVE_INFINITY);
  const places = new Map(known.map(({ key, place }) => [key, { x: place.x - left + MARGIN, y: place.y - top + MARGIN }]));
  const all = [...places.values()];
  const lines = known.flatMap(({ key, needs }) =>
    [...new Set(needs)].flatMap((need) => {
      const [from, to] = [places.get(need), places.get(key)];
      return from && to ? [{ from: need, to: key, path: linePath(from, to) }] : [];
    }),
  );
  return {
    width: Math.max(0, ...all.map(({ x }) => x + NODE_CARD.width)) + MARGIN,
    height: Math.max(0, ...all.map(({ y }) => y + NODE_CARD.height)) + MARGIN,
    places,
    lines,
  };
}
