import type { PlanNode } from "./model";

/** Milliseconds until retry `retryNo` (counted from 1): its tier plus jitter; a service that said when to come back is obeyed. */
export function retryDelay(
  node: Pick<PlanNode, "delaysMs" | "jitter">,
  retryNo: number,
  random: number,
  retryAfterMs: number | null,
): number {
  const base = node.delaysMs[Math.min(retryNo, node.delaysMs.length) - 1] ?? 0;
  const [low, high] = node.jitter;
  const delay = Math.round(base * (1 + low + (high - low) * random));
  return Math.max(delay, retryAfterMs ?? 0);
}
