import type { DraftLayout } from "@/server/domain/pipeline/draft";
import type { GraphNode } from "@/server/domain/pipeline/graph";
import { successorsByKey } from "@/server/domain/pipeline/graph";

export type Direction = "left" | "right" | "up" | "down";

/** The node that an arrow key leads to: along a line to the left or right, else to the nearest card that way. */
export function walk(nodes: readonly GraphNode[], layout: DraftLayout, from: string | undefined, to: Direction): string | undefined {
  if (from === undefined) return nodes[0]?.key;
  const node = nodes.find(({ key }) => key === from);
  const place = layout[from];
  if (node === undefined) return nodes[0]?.key;
  const linked = to === "left" ? node.needs : to === "right" ? successorsByKey(nodes).get(from) : undefined;
  const along = linked?.find((key) => layout[key] !== undefined);
  if (along !== undefined) return along;
  if (place === undefined) return undefined;
  const distances = nodes.flatMap(({ key }) => {
    const other = layout[key];
    if (key === from || other === undefined) return [];
    const dx = other.x - place.x;
    const dy = other.y - place.y;
    const ahead = { left: -dx, right: dx, up: -dy, down: dy }[to];
    const aside = Math.abs(to === "left" || to === "right" ? dy : dx);
    return ahead > 0 ? [{ key, distance: ahead + 3 * aside }] : [];
  });
  return distances.toSorted((one, other) => one.distance - other.distance)[0]?.key;
}
