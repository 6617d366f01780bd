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
  const states = [...run.nodes.values()].map((node) => node.state);
  const allEnded = states.every(isTerminalNode);
  if (run.cancelRequested && allEnded) return "CANCELED";
  if (!run.activated) return run.pausedByPerson ? "PAUSED" : "PENDING";
  if (states.every((state) => state === "SUCCESS" || state === "SKIPPED")) return "SUCCESS";
  if (run.pausedByPerson && !allEnded) return "PAUSED";
  if (states.some(isLiveNode)) return "RUNNING";
  if (onFailure === "pause" || !allEnded) return "PAUSED";
  return "FAILED";
}
