import { type Draft, move } from "./draft";
import { isTerminalNode } from "./states";
import type { TransitionVerdict } from "./transitions";

/** Cancels a node. The token rises over a running one, so that its late result is superseded; its effect may stand. */
export function cancelOne(draft: Draft, key: string, cause: string): TransitionVerdict {
  return move(draft, key, { event: "cancelRequested", cause, patch: takenFromWorker(draft, key) });
}

/** Cancels every node that has not ended. */
export function cancelAll(draft: Draft, cause: string): void {
  for (const { key } of draft.plan.nodes) {
    const node = draft.nodes.get(key);
    if (node && !isTerminalNode(node.state)) cancelOne(draft, key, cause);
  }
}

/** What changes when a node is taken from a worker that has not reported: its fate is unknown, and its token is spent. */
export function takenFromWorker(draft: Draft, key: string): { token?: number; maybeRepeated?: boolean } {
  const node = draft.nodes.get(key);
  const works = node?.state === "RUNNING" && draft.plan.byKey.get(key)?.type !== "wait";
  return works ? { token: node.token + 1, maybeRepeated: true } : {};
}
