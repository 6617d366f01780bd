import { type Draft, move } from "./draft";
import { type JoinVerdict, joinVerdict, outcomeOf } from "./join";
import type { PlanNode } from "./model";

/** The verdict of a node's join rule over its parents as they are now. */
export function verdictOf(draft: Draft, node: PlanNode): JoinVerdict {
  const parents = node.needs.flatMap((key) => {
    const parent = draft.nodes.get(key);
    return parent ? [outcomeOf(parent)] : [];
  });
  return joinVerdict(node.join, parents);
}

/**
 * Makes ready what can start and skips what never can. One walk in topological order is enough, since a node's verdict
 * depends on nodes before it alone.
 */
export function advance(draft: Draft): void {
  if (!draft.activated) return;
  for (const node of draft.plan.nodes) {
    if (draft.nodes.get(node.key)?.state === "PENDING") advanceNode(draft, node);
  }
}

function advanceNode(draft: Draft, node: PlanNode): void {
  if (node.standsInFor.length > 0) {
    move(draft, node.key, {
      event: "branchNotTaken",
      cause: `it stands by for ${node.standsInFor.join(", ")}`,
      patch: { skipCause: "branch" },
    });
    return;
  }
  const verdict = verdictOf(draft, node);
  switch (verdict.kind) {
    case "wait":
      return;
    case "ready":
      // A wait would run through a pause; anything else is queued and held.
      if (node.type !== "wait") move(draft, node.key, { event: "ready", cause: readyCause(node) });
      else if (!draft.pausedByPerson) move(draft, node.key, { event: "waitStarted", cause: readyCause(node) });
      return;
    case "skip":
      skip(draft, node.key, "a skip before it is passed on");
      return;
    case "blocked":
      if (verdict.final && draft.plan.onFailure !== "pause") skip(draft, node.key, "what it needs has failed");
      return;
  }
}

const readyCause = (node: PlanNode): string => (node.needs.length === 0 ? "the run has begun" : `${node.join} holds`);

const skip = (draft: Draft, key: string, cause: string) =>
  move(draft, key, { event: "branchNotTaken", cause, patch: { skipCause: "upstream" } });
