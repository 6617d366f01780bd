import type { NodeFacts, RunPlan } from "./model";
import { descendantsIn } from "./plan";
import { isLiveNode, type NodeState } from "./states";

export type RerunPlan =
  | {
      readonly kind: "plan";
      /** Nodes after the first that have run, or were given up, and wait for their parents again. */
      readonly reopened: readonly string[];
      /** Those, the first included, that have succeeded: they run as new executions, and their effect happens again. */
      readonly newExecutions: readonly string[];
    }
  | { readonly kind: "refused"; readonly key: string; readonly state: NodeState; readonly reason: string };

/** What "rerun from here" would touch; what a person has skipped stays skipped. */
export function rerunPlan(plan: RunPlan, nodes: ReadonlyMap<string, NodeFacts>, key: string): RerunPlan {
  const first = nodes.get(key);
  if (first === undefined || first.state === "PENDING" || isLiveNode(first.state)) {
    const state = first?.state ?? "PENDING";
    return { kind: "refused", key, state, reason: `a node that is ${state} has not ended; wait for it, or cancel it first` };
  }
  const below = descendantsIn(plan, key, nodes).flatMap((node) => nodes.get(node.key) ?? []);
  const live = below.find((node) => isLiveNode(node.state));
  if (live) {
    return {
      kind: "refused",
      key: live.key,
      state: live.state,
      reason: `"${live.key}" comes after it and is ${live.state}; wait for it, or cancel it first`,
    };
  }
  const reopened = below.filter((node) => node.state !== "PENDING" && !(node.state === "SKIPPED" && node.skipCause === "person"));
  const succeeded = [first, ...reopened].filter((node) => node.state === "SUCCESS");
  return { kind: "plan", reopened: reopened.map((node) => node.key), newExecutions: succeeded.map((node) => node.key) };
}
