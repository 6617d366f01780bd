import type { Route } from "../routing/route";
import { type Draft, type Move, move, type Outcome } from "./draft";
import { isDegraded } from "./join";
import type { PlanNode } from "./model";
import { standIns } from "./plan";

/** A failure that a rule sends somewhere else than its policy would. */
type Routed = Required<Pick<Move, "failure" | "guards" | "patch" | "outcome">> & { readonly route: Route };

/** In words, which rule of which version decided, and on what. */
export const routeCause = ({ rule, version, action }: Route, what: string): string =>
  `by rule "${rule}" of version ${version} (${action}): ${what}`;

export const sendToReview = (routed: Routed): Move => ({
  ...routed,
  event: "sentToReview",
  cause: routeCause(routed.route, "a person decides"),
});

/**
 * Switches a node to its fallback: it counts as skipped, and what stood by for it becomes ready in its place. One fallback of
 * several nodes runs once for all of them.
 */
export function degrade(draft: Draft, planned: PlanNode, routed: Routed): Outcome {
  const { key, fallback } = planned;
  const cause = routeCause(routed.route, `${fallback} stands in for it`);
  const verdict = move(draft, key, { ...routed, event: "degraded", cause, patch: { ...routed.patch, skipCause: "degraded" } });
  if (verdict.kind !== "moved") return { kind: "superseded", key, reason: `it was ${verdict.from} when it was to be degraded` };
  for (const standIn of standIns(draft.plan, key)) {
    const node = draft.nodes.get(standIn);
    if (!node || isDegraded(node)) continue;
    if (node.state === "SKIPPED" && node.skipCause !== "person")
      move(draft, standIn, { event: "reopened", cause: `it stands in for ${key}` });
    break;
  }
  return { kind: "done", cause };
}
