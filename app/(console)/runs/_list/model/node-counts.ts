import { NODE_STATES, type NodeState } from "@/server/domain/run/states";

/** Order in which a strip reads from left to right: what is done, what is broken, what moves, what is to come. */
const STRIP_ORDER: readonly NodeState[] = [
  "SUCCESS",
  "FAILED",
  "TIMEOUT",
  "MANUAL_REVIEW",
  "CANCELED",
  "SKIPPED",
  "RUNNING",
  "RETRYING",
  "AWAITING_APPROVAL",
  "QUEUED",
  "PENDING",
];

export interface NodeShare {
  state: NodeState;
  count: number;
}

export function sharesOf(counts: Readonly<Record<string, number>>): NodeShare[] {
  return STRIP_ORDER.flatMap((state) => {
    const count = counts[state] ?? 0;
    return count > 0 ? [{ state, count }] : [];
  });
}

export function totalsOf(counts: Readonly<Record<string, number>>): { done: number; all: number } {
  const all = NODE_STATES.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  return { done: (counts.SUCCESS ?? 0) + (counts.SKIPPED ?? 0), all };
}
