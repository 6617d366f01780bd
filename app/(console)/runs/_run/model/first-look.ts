import { isUnhealthyNode } from "@/server/domain/run/states";
import type { NodeView } from "../../views";

export const NODE_TABS = ["error", "inputs", "output", "logs", "trace", "history"] as const;
export type NodeTab = (typeof NODE_TABS)[number];
export const isNodeTab = (value: string | null): value is NodeTab => NODE_TABS.some((tab) => tab === value);

type Looked = Pick<NodeView, "key" | "state" | "error" | "times">;

const endedMs = (node: Looked) => node.times.endedAt?.getTime() ?? Number.POSITIVE_INFINITY;

/** What broke first, since what came after is often its consequence. */
export function firstFailed<N extends Looked>(nodes: readonly N[]): N | null {
  const failed = nodes.filter((node) => isUnhealthyNode(node.state));
  return failed.reduce<N | null>((first, node) => (first === null || endedMs(node) < endedMs(first) ? node : first), null);
}

/** The node on which a run opens: what failed, else what moves, else where it ended, else where it begins. */
export function firstNode<N extends Looked>(nodes: readonly N[]): N | null {
  const moving = (state: NodeView["state"]) => nodes.find((node) => node.state === state);
  return (
    firstFailed(nodes) ??
    moving("RUNNING") ??
    moving("RETRYING") ??
    moving("QUEUED") ??
    (nodes.some((node) => node.state === "SUCCESS") ? nodes.findLast((node) => node.state === "SUCCESS") : nodes[0]) ??
    null
  );
}

/** The tab that answers what one asks first of a node in that state. */
export function firstTab(node: Pick<NodeView, "state" | "error">): NodeTab {
  if (isUnhealthyNode(node.state) || node.error !== null) return "error";
  if (node.state === "SUCCESS") return "output";
  return node.state === "RUNNING" ? "logs" : "history";
}
