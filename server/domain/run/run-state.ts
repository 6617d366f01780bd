import type { FailurePolicy } from "../pipeline/definition";
import type { RunFacts } from "./model";
import { isLiveNode, isTerminalNode, type RunState } from "./states";

/**
 * The state of a run as a function of its nodes and of what people asked for. It is taken after every step, when all that
 * could become ready has; so a node that is still PENDING waits for a person.
 */
export function runStateOf(
  onFailure: FailurePolicy,
  run: Pick<RunFacts, "activated" | "cancelRequested" | "pausedByPerson" | "nodes">,
): RunState {
  let allEnded = true;
  let allWell = true;
  let anyLive = false;
  for (const { state } of run.nodes.values()) {
    allEnded &&= isTerminalNode(state);
    allWell &&= state === "SUCCESS" || state === "SKIPPED";
    anyLive ||= isLiveNode(state);
  }
  if (run.cancelRequested && allEnded) return "CANCELED";
  if (!run.activated) return run.pausedByPerson ? "PAUSED" : "PENDING";
  if (allWell) return "SUCCESS";
  if (run.pausedByPerson && !allEnded) return "PAUSED";
  if (anyLive) return "RUNNING";
  if (onFailure === "pause" || !allEnded) return "PAUSED";
  return "FAILED";
}
