import { decide } from "./decide";
import type { RunEvent, RunFacts, RunPlan } from "./model";
import { type NodeAction, possibleNodeActions } from "./possible";
import { rerunPlan } from "./rerun-plan";
import type { NodeState, RunState } from "./states";

export type InterventionPreview =
  | {
      readonly kind: "possible";
      /** Nodes that will run, or wait to run, in topological order. */
      readonly runs: readonly string[];
      /** Those of them that had succeeded: their effect happens again, under a new execution id. */
      readonly again: readonly string[];
      /** Nodes whose success is kept. */
      readonly reused: readonly string[];
      readonly skipped: readonly string[];
      readonly canceled: readonly string[];
      readonly runState: RunState;
    }
  | { readonly kind: "refused"; readonly reason: string; readonly state: NodeState | RunState; readonly possible: readonly NodeAction[] };

function eventOf(plan: RunPlan, run: RunFacts, key: string, action: NodeAction): RunEvent {
  switch (action) {
    case "retry":
      return { kind: "retryNode", key };
    case "rerun-from": {
      const planned = rerunPlan(plan, run.nodes, key);
      const fresh = planned.kind === "plan" ? planned.newExecutions : [];
      return { kind: "rerunFrom", key, executionIds: new Map(fresh.map((each) => [each, `new:${each}`])) };
    }
    case "skip":
      return { kind: "skipNode", key };
    case "mark-success":
      return { kind: "markSuccess", key };
    case "cancel":
      return { kind: "cancelNode", key };
  }
}

/** What an intervention would do, told by the very decision that would do it. */
export function previewOf(plan: RunPlan, run: RunFacts, key: string, action: NodeAction, now: Date): InterventionPreview {
  const decision = decide(plan, run, eventOf(plan, run, key, action), { now });
  if (decision.kind !== "applied") {
    const state = run.nodes.get(key)?.state;
    return { kind: "refused", reason: decision.reason, state: state ?? run.state, possible: state ? possibleNodeActions(state) : [] };
  }
  const keysIn = (...states: NodeState[]) =>
    plan.nodes.filter((node) => states.includes(decision.next.nodes.get(node.key)?.state ?? "PENDING")).map((node) => node.key);
  const runs = keysIn("PENDING", "QUEUED", "RUNNING", "RETRYING", "AWAITING_APPROVAL");
  return {
    kind: "possible",
    runs,
    again: runs.filter((each) => run.nodes.get(each)?.state === "SUCCESS"),
    reused: keysIn("SUCCESS"),
    skipped: keysIn("SKIPPED"),
    canceled: keysIn("CANCELED"),
    runState: decision.next.state,
  };
}
