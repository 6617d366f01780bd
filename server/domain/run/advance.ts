import { type Draft, move } from "./draft";
import { type JoinVerdict, joinVerdict, outcomeOf, type ParentOutcome, WAIT } from "./join";
import type { PlanNode } from "./model";

/** The verdict of a node's join rule over its parents as they are now. */
export function verdictOf(draft: Draft, node: PlanNode): JoinVerdict {
  const outcomes = new Set<ParentOutcome>();
  for (const key of node.needs) {
    const parent = draft.nodes.get(key);
    if (!parent) continue;
    const outcome = outcomeOf(parent);
    // Of a wide join most are open for long, and one of them is enough.
    if (outcome === "open" && node.join !== "one_success") return WAIT;
    outcomes.add(outcome);
  }
  return joinVerdict(node.join, [...outcomes]);
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
