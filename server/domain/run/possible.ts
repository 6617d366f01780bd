import { isTerminalRun, type NodeState, type RunState } from "./states";
import { NODE_TRANSITIONS, type NodeEvent } from "./transitions";

/** What a person can do to a node, in the words of the REST paths. */
export const NODE_ACTIONS = ["retry", "rerun-from", "skip", "mark-success", "cancel"] as const;
export type NodeAction = (typeof NODE_ACTIONS)[number];

const EVENTS: Readonly<Record<NodeAction, readonly NodeEvent[]>> = {
  retry: ["retryRequested"],
  "rerun-from": ["rerunRequested", "reopened"],
  skip: ["skipRequested"],
  "mark-success": ["successMarked"],
  cancel: ["cancelRequested"],
};

/** The actions that the transition table allows on a node in this state. */
export function possibleNodeActions(state: NodeState): readonly NodeAction[] {
  return NODE_ACTIONS.filter((action) => EVENTS[action].some((event) => NODE_TRANSITIONS[state][event] !== undefined));
}

export const RUN_ACTIONS = ["cancel", "pause", "resume"] as const;
export type RunAction = (typeof RUN_ACTIONS)[number];

export function possibleRunActions(run: { readonly state: RunState; readonly pausedByPerson: boolean }): readonly RunAction[] {
  if (isTerminalRun(run.state)) return run.pausedByPerson ? ["resume"] : [];
  return run.pausedByPerson ? ["cancel", "resume"] : ["cancel", "pause"];
}
