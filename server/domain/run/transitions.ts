import { isTerminalNode, type NodeState, type RunState } from "./states";

/** Everything that can happen to a node. The first block comes from the engine, the second from people. */
export const NODE_EVENTS = [
  "ready",
  "handedOn",
  "claimed",
  "waitStarted",
  "approvalRequested",
  "succeeded",
  "attemptFailed",
  "attemptDied",
  "attemptTimedOut",
  "sentToReview",
  "degraded",
  "deadlinePassed",
  "workerLost",
  "handedBack",
  "retryDue",
  "stuck",
  "branchNotTaken",
  "approved",
  "refused",
  "approvalTimedOut",

  "retryRequested",
  "reopened",
  "rerunRequested",
  "skipRequested",
  "successMarked",
  "reviewRequested",
  "cancelRequested",
] as const;
export type NodeEvent = (typeof NODE_EVENTS)[number];

/** What a rule may ask of the facts before it lets a node through. */
export const GUARDS = ["freshToken", "budgetLeft", "deadlineAhead"] as const;
export type Guard = (typeof GUARDS)[number];
export type Facts = Readonly<Record<Guard, boolean>>;

export interface TransitionRule {
  readonly to: NodeState;
  readonly needs?: readonly Guard[];
  /** Where the node goes when a guard other than `freshToken` does not hold. */
  readonly otherwise?: NodeState;
}

type Rules = Readonly<Partial<Record<NodeEvent, TransitionRule>>>;

const BY_A_PERSON: Rules = {
  retryRequested: { to: "QUEUED" },
  reopened: { to: "PENDING" },
  skipRequested: { to: "SKIPPED" },
  successMarked: { to: "SUCCESS" },
};

/**
 * The one table of node transitions (RUN-1). What is not here cannot be committed: `decide` refuses it, and so does
 * the trigger that Postgres holds from the same table.
 */
export const NODE_TRANSITIONS: Readonly<Record<NodeState, Rules>> = {
  PENDING: {
    ready: { to: "QUEUED" },
    waitStarted: { to: "RUNNING" },
    approvalRequested: { to: "AWAITING_APPROVAL" },
    branchNotTaken: { to: "SKIPPED" },
    skipRequested: { to: "SKIPPED" },
    cancelRequested: { to: "CANCELED" },
  },
  QUEUED: {
    claimed: { to: "RUNNING" },
    handedOn: { to: "RUNNING" },
    deadlinePassed: { to: "TIMEOUT" },
    skipRequested: { to: "SKIPPED" },
    reviewRequested: { to: "MANUAL_REVIEW" },
    cancelRequested: { to: "CANCELED" },
  },
  RUNNING: {
    succeeded: { to: "SUCCESS", needs: ["freshToken"] },
    attemptFailed: { to: "RETRYING", needs: ["freshToken", "budgetLeft", "deadlineAhead"], otherwise: "FAILED" },
    // What ran it died under it, so that nobody knows how far it came (RUN-2).
    attemptDied: { to: "RETRYING", needs: ["freshToken", "budgetLeft", "deadlineAhead"], otherwise: "MANUAL_REVIEW" },
    attemptTimedOut: { to: "RETRYING", needs: ["freshToken", "budgetLeft", "deadlineAhead"], otherwise: "TIMEOUT" },
    // Where the routing table sends a failure: to a person, or to the node that stands in for this one (EXC-5).
    sentToReview: { to: "MANUAL_REVIEW", needs: ["freshToken"] },
    degraded: { to: "SKIPPED", needs: ["freshToken"] },
    deadlinePassed: { to: "TIMEOUT", needs: ["freshToken"] },
    workerLost: { to: "QUEUED", needs: ["freshToken", "budgetLeft", "deadlineAhead"], otherwise: "MANUAL_REVIEW" },
    handedBack: { to: "QUEUED", needs: ["freshToken"] },
    reviewRequested: { to: "MANUAL_REVIEW" },
    cancelRequested: { to: "CANCELED" },
  },
  RETRYING: {
    retryDue: { to: "QUEUED" },
    retryRequested: { to: "QUEUED" },
    deadlinePassed: { to: "TIMEOUT" },
    stuck: { to: "MANUAL_REVIEW" },
    skipRequested: { to: "SKIPPED" },
    reviewRequested: { to: "MANUAL_REVIEW" },
    cancelRequested: { to: "CANCELED" },
  },
  AWAITING_APPROVAL: {
    approved: { to: "SUCCESS" },
    refused: { to: "FAILED" },
    approvalTimedOut: { to: "TIMEOUT" },
    skipRequested: { to: "SKIPPED" },
    cancelRequested: { to: "CANCELED" },
  },
  MANUAL_REVIEW: { ...BY_A_PERSON, cancelRequested: { to: "CANCELED" } },
  SUCCESS: { rerunRequested: { to: "QUEUED" }, reopened: { to: "PENDING" } },
  FAILED: { ...BY_A_PERSON, reviewRequested: { to: "MANUAL_REVIEW" } },
  TIMEOUT: { ...BY_A_PERSON, reviewRequested: { to: "MANUAL_REVIEW" } },
  CANCELED: BY_A_PERSON,
  SKIPPED: { retryRequested: { to: "QUEUED" }, reopened: { to: "PENDING" } },
};

export type TransitionVerdict =
  | { readonly kind: "moved"; readonly from: NodeState; readonly to: NodeState; readonly raisesGeneration: boolean }
  | { readonly kind: "superseded"; readonly from: NodeState }
  | { readonly kind: "refused"; readonly from: NodeState; readonly event: NodeEvent };

/** Where `event` takes a node in `state`; total, so that an unexpected pair is an answer and not a crash. */
export function decideTransition(state: NodeState, event: NodeEvent, facts: Facts): TransitionVerdict {
  const rule = NODE_TRANSITIONS[state][event];
  if (!rule) return { kind: "refused", from: state, event };
  const needs = rule.needs ?? [];
  if (needs.includes("freshToken") && !facts.freshToken) return { kind: "superseded", from: state };
  const holds = needs.every((guard) => facts[guard]);
  const to = holds ? rule.to : rule.otherwise;
  if (to === undefined) return { kind: "refused", from: state, event };
  return { kind: "moved", from: state, to, raisesGeneration: leavesForGood(state) };
}

/** Leaving a terminal state, or a review, begins a new generation with a fresh retry budget. */
export const leavesForGood = (state: NodeState): boolean => isTerminalNode(state) || state === "MANUAL_REVIEW";

/** Every pair `FROM>TO` that the table allows, sorted; Postgres holds the same list. */
export function allowedNodePairs(): string[] {
  const pairs = new Set<string>();
  for (const [from, rules] of Object.entries(NODE_TRANSITIONS)) {
    for (const rule of Object.values(rules)) {
      pairs.add(`${from}>${rule.to}`);
      if (rule.otherwise) pairs.add(`${from}>${rule.otherwise}`);
    }
  }
  return [...pairs].sort();
}

/** A node is born in one of these; the rest is reached by events alone. */
export const INITIAL_NODE_STATES = ["PENDING", "QUEUED"] as const satisfies readonly NodeState[];

/** Runs follow their nodes; only an intervention reopens one that has ended. */
export const RUN_TRANSITIONS: Readonly<Record<RunState, readonly RunState[]>> = {
  PENDING: ["RUNNING", "PAUSED", "CANCELED", "SUCCESS", "FAILED"],
  RUNNING: ["PAUSED", "SUCCESS", "FAILED", "CANCELED"],
  PAUSED: ["PENDING", "RUNNING", "SUCCESS", "FAILED", "CANCELED"],
  SUCCESS: ["RUNNING", "PAUSED", "FAILED"],
  FAILED: ["RUNNING", "PAUSED", "SUCCESS"],
  CANCELED: ["PENDING", "RUNNING", "PAUSED", "SUCCESS", "FAILED"],
};
export const INITIAL_RUN_STATES = ["PENDING", "RUNNING"] as const satisfies readonly RunState[];

export function allowedRunPairs(): string[] {
  return Object.entries(RUN_TRANSITIONS)
    .flatMap(([from, targets]) => targets.map((to) => `${from}>${to}`))
    .sort();
}

export const canLeaveRun = (from: RunState, to: RunState): boolean => from === to || RUN_TRANSITIONS[from].includes(to);
