/** States of a node run (RUN-1). Order is the order in which screens list them. */
export const NODE_STATES = [
  "PENDING",
  "QUEUED",
  "RUNNING",
  "RETRYING",
  "AWAITING_APPROVAL",
  "MANUAL_REVIEW",
  "SUCCESS",
  "FAILED",
  "TIMEOUT",
  "CANCELED",
  "SKIPPED",
] as const;
export type NodeState = (typeof NODE_STATES)[number];

/**
 * States of a run, apart from those of its nodes. PENDING waits for its turn (a concurrency limit or an
 * overlap policy); RUNNING is activated; PAUSED can move only when a person acts.
 */
export const RUN_STATES = ["PENDING", "RUNNING", "PAUSED", "SUCCESS", "FAILED", "CANCELED"] as const;
export type RunState = (typeof RUN_STATES)[number];

/** A node leaves these only by an intervention, which raises its generation. */
export const TERMINAL_NODE_STATES = ["SUCCESS", "FAILED", "TIMEOUT", "CANCELED", "SKIPPED"] as const satisfies readonly NodeState[];
export const TERMINAL_RUN_STATES = ["SUCCESS", "FAILED", "CANCELED"] as const satisfies readonly RunState[];
/** What counts as unhealthy wherever a failure rate is shown (ALT-7). */
export const UNHEALTHY_NODE_STATES = ["FAILED", "MANUAL_REVIEW", "TIMEOUT"] as const satisfies readonly NodeState[];
/** Something will move these without a person, or a person is asked already. */
export const LIVE_NODE_STATES = ["QUEUED", "RUNNING", "RETRYING", "AWAITING_APPROVAL"] as const satisfies readonly NodeState[];

const includes = <T extends string>(list: readonly T[], value: string): value is T => (list as readonly string[]).includes(value);

export const isTerminalNode = (state: NodeState): boolean => includes(TERMINAL_NODE_STATES, state);
export const isTerminalRun = (state: RunState): boolean => includes(TERMINAL_RUN_STATES, state);
export const isUnhealthyNode = (state: NodeState): boolean => includes(UNHEALTHY_NODE_STATES, state);
export const isLiveNode = (state: NodeState): boolean => includes(LIVE_NODE_STATES, state);

/** The register of an execution (IDM-2): only forward, except that a failed attempt puts it back. */
export const EXECUTION_STATES = ["REGISTERED", "EXECUTING", "COMPLETED"] as const;
export type ExecutionState = (typeof EXECUTION_STATES)[number];

/** How one attempt ended; null while it executes. */
export const ATTEMPT_OUTCOMES = ["succeeded", "failed", "timed_out", "lost", "canceled", "handed_back"] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/**
 * Why a node is SKIPPED; a person's skip satisfies a join, the others pass the skip on. A degraded one counts in joins as the
 * node that stands in for it.
 */
export const SKIP_CAUSES = ["person", "branch", "upstream", "degraded"] as const;
export type SkipCause = (typeof SKIP_CAUSES)[number];
