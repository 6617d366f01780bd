import { type Draft, move } from "./draft";
import { isDegraded, type JoinVerdict, joinVerdict, outcomeOf, type ParentOutcome, WAIT } from "./join";
import type { PlanNode } from "./model";
import { standIns } from "./plan";

/** The verdict of a node's join rule over its parents as they are now. */
export function verdictOf(draft: Draft, node: PlanNode): JoinVerdict {
  const outcomes = new Set<ParentOutcome>();
  for (const key of node.needs) {
    const outcome = outcomeIn(draft, key, node.key);
    if (outcome === null) continue;
    // Of a wide join most are open for long, and one of them is enough.
    if (outcome === "open" && node.join !== "one_success") return WAIT;
    outcomes.add(outcome);
  }
  return joinVerdict(node.join, [...outcomes]);
}

/** How a parent has ended: a degraded one as the node that stands in for it, which itself finds its place free. */
function outcomeIn(draft: Draft, key: string, asker: string): ParentOutcome | null {
  const parent = draft.nodes.get(key);
  if (!parent) return null;
  if (!isDegraded(parent)) return outcomeOf(parent);
  for (const standIn of standIns(draft.plan, key)) {
    if (standIn === asker) return "ok";
    const node = draft.nodes.get(standIn);
    if (node && !isDegraded(node)) return outcomeOf(node);
  }
  return "skipped";
}

/**
 * Makes ready what can start and skips what never can. One walk in topological order is enough, since a node's verdict
 * depends on nodes before it alone; but what stands in for a node may come after those that wait for it.
 */
export function advance(draft: Draft): void {
  if (!draft.activated) return;
  for (let steps = -1; steps < draft.changes.length; ) {
    steps = draft.changes.length;
    for (const node of draft.plan.nodes) {
      if (draft.nodes.get(node.key)?.state === "PENDING") advanceNode(draft, node);
    }
    if (!draft.plan.hasFallbacks) return;
  }
}

/** Whether others name a node and none of them calls it: it is called where one that has it as its fallback is degraded. */
export const standsBy = (draft: Draft, node: PlanNode): boolean =>
  node.standsInFor.length > 0 &&
  !node.standsInFor.some((key) => {
    const principal = draft.nodes.get(key);
    return principal !== undefined && isDegraded(principal) && draft.plan.byKey.get(key)?.fallback === node.key;
  });

function advanceNode(draft: Draft, node: PlanNode): void {
  if (standsBy(draft, node)) {
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
