import type { FailurePolicy, JoinRule, NodeType } from "../pipeline/definition";
import type { RetryDelays } from "../retry/by-code";
import type { PolicySource } from "../retry/policy";
import type { Route } from "../routing/route";
import type { AttemptOutcome, NodeState, RunState, SkipCause } from "./states";
import type { NodeEvent } from "./transitions";

/** What the engine needs of one node of a version; derived once, cached by version. */
export interface PlanNode {
  readonly key: string;
  readonly type: NodeType;
  readonly group: string;
  /** The shared resource that it takes a slot of while it runs; null where it names none, and for a wait. */
  readonly pool: string | null;
  readonly needs: readonly string[];
  readonly join: JoinRule;
  readonly retries: number;
  readonly delaysMs: readonly number[];
  readonly jitter: readonly [number, number];
  /** Whose words these are; by default the code's family replaces the delays. */
  readonly retryFrom: PolicySource;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly priority: number;
  /** Error-code module that the step declares; null means the pipeline's domain alone names the code. */
  readonly module: string | null;
  /** For `wait` nodes with a fixed length. */
  readonly waitMs: number | null;
  /** For `wait` nodes that end at an instant: a template that the engine resolves when the node becomes ready. */
  readonly waitUntil: string | null;
  /** Direct needs and all other predecessors whose output a template of the node names. */
  readonly inputsFrom: readonly string[];
  /** Those whose output a template of the node names: nothing else of them has to be loaded. */
  readonly reads: readonly string[];
  /** Nodes that name this one as their `fallback` or `compensate`: while there are any, it never starts by itself. */
  readonly standsInFor: readonly string[];
  /** The node that a degrade route switches to. */
  readonly fallback: string | null;
}

/** The plan of a version: nodes in topological order with their successors. */
export interface RunPlan {
  readonly versionId: string;
  readonly domain: string;
  readonly onFailure: FailurePolicy;
  /** Whether any node has one. */
  readonly hasFallbacks: boolean;
  readonly nodes: readonly PlanNode[];
  readonly byKey: ReadonlyMap<string, PlanNode>;
  readonly successors: ReadonlyMap<string, readonly string[]>;
}

/** What decisions read of a node run. */
export interface NodeFacts {
  readonly key: string;
  readonly state: NodeState;
  /** Raised whenever a node leaves a terminal state. */
  readonly generation: number;
  readonly executionId: string;
  /** Fencing token of the latest claim; a result with a lower one is never applied. */
  readonly token: number;
  /** Number of this generation's latest attempt. */
  readonly attemptNo: number;
  /** Those of them that count against the retry budget: a hand-back counts none. */
  readonly attempts: number;
  /** When it took its place in the queue; a node that its worker lost keeps it. */
  readonly readyAt: Date | null;
  /** RETRYING: when it is queued again. RUNNING wait: when it ends; null until the engine has resolved it. */
  readonly dueAt: Date | null;
  /** The end of all attempts of this generation together, counted from the first one's start: a queue without a worker times nobody out. */
  readonly deadlineAt: Date | null;
  readonly skipCause: SkipCause | null;
  /** The fate of an attempt at this execution is unknown. */
  readonly maybeRepeated: boolean;
}

export interface RunFacts {
  readonly id: string;
  readonly state: RunState;
  /** Its turn has come once; a run that still waits for it is PENDING. */
  readonly activated: boolean;
  readonly cancelRequested: boolean;
  /** A person has pressed pause: nothing new starts until resume. */
  readonly pausedByPerson: boolean;
  readonly nodes: ReadonlyMap<string, NodeFacts>;
}

/** Who did it: a person or token by id, a schedule with its version, a worker, or the engine itself. */
export interface Actor {
  readonly kind: "user" | "token" | "schedule" | "worker" | "system";
  readonly id: string;
  readonly label: string;
}

/** The failure of an attempt as it is decided upon and stored (EXC-2). */
export interface AttemptFailure {
  /** Full code such as `ORDER_WAREHOUSE_TIMEOUT_504`. */
  readonly code: string;
  /** The worker's own code, where the inbox was taught that it is the one above (EXC-1). */
  readonly saidCode?: string;
  /** Already masked. */
  readonly message: string;
  readonly stack: string | null;
  readonly stackHash: string | null;
  readonly retryable: boolean;
  /** It is the number of an answer or of an exit that calls it final, and no word of the task: a rule may know better (RTY-2). */
  readonly finalBy?: "number";
  /** Business keys by whitelist. */
  readonly context: Readonly<Record<string, string>>;
  readonly retryAfterMs: number | null;
  /** Set where what ran the attempt died under it alone: how many of this generation have taken it along, this one included. */
  readonly deaths?: number;
  /** Retries that the attempt made inside: they count in the same budget (RTY-3). */
  readonly innerRetries?: number;
  /** The request went out and no answer came back: whether it took effect is unknown. */
  readonly fateUnknown?: true;
}

/** One step of a node, as it is committed and appended to `run_events`. */
export interface NodeChange {
  readonly key: string;
  readonly event: NodeEvent;
  readonly from: NodeState;
  readonly to: NodeState;
  readonly before: NodeFacts;
  readonly next: NodeFacts;
  /** How the attempt ended that this step closes; null when it closes none. */
  readonly outcome: AttemptOutcome | null;
  readonly failure: AttemptFailure | null;
  /** The rule that decided where the failure goes; null where none did. */
  readonly route: Route | null;
  readonly cause: string;
}

export interface RunChange {
  readonly from: RunState;
  readonly to: RunState;
  readonly cause: string;
}

export type Decision =
  | {
      readonly kind: "applied";
      /** In order; one node may change more than once (made ready, then handed on). */
      readonly changes: readonly NodeChange[];
      readonly run: RunChange | null;
      /** The run as it is afterwards. */
      readonly next: RunFacts;
    }
  /** A late or repeated report: recorded as an event, never applied (IDM-2). */
  | { readonly kind: "superseded"; readonly key: string; readonly reason: string }
  /** An intervention that the run's state does not allow. */
  | { readonly kind: "refused"; readonly reason: string; readonly key: string | null; readonly state: NodeState | RunState };

/** What happened, as data. Times and random numbers come in; nothing is read from outside. */
export type RunEvent =
  | { readonly kind: "activated" }
  /** `token` is the one that the claim gives: one above the node's. */
  | { readonly kind: "claimed"; readonly key: string; readonly token: number }
  /** The worker that made it ready takes it in the same commit. */
  | { readonly kind: "handedOn"; readonly key: string }
  | { readonly kind: "succeeded"; readonly key: string; readonly token: number }
  | {
      readonly kind: "attemptFailed";
      readonly key: string;
      readonly token: number;
      readonly failure: AttemptFailure;
      readonly route?: Route | null;
      /** What the register keeps for its code (RTY-2). */
      readonly codeDelays?: RetryDelays | null;
      readonly jitter: number;
    }
  | {
      readonly kind: "attemptTimedOut";
      readonly key: string;
      readonly token: number;
      readonly failure: AttemptFailure;
      readonly route?: Route | null;
      /** What the register keeps for its code (RTY-2). */
      readonly codeDelays?: RetryDelays | null;
      readonly jitter: number;
    }
  | { readonly kind: "deadlinePassed"; readonly key: string; readonly failure: AttemptFailure }
  /** Its failure tells in `deaths` how many attempts of the generation were lost or died so far, this one included. */
  | {
      readonly kind: "workerLost";
      readonly key: string;
      readonly token: number;
      readonly failure: AttemptFailure;
      readonly route?: Route | null;
    }
  | { readonly kind: "handedBack"; readonly key: string; readonly token: number; readonly begun: boolean }
  | { readonly kind: "waitElapsed"; readonly key: string }
  | { readonly kind: "retryDue"; readonly key: string }
  /** It has waited for a retry that nobody gives it (EXC-8). */
  | { readonly kind: "retryStuck"; readonly key: string }
  | { readonly kind: "retryNode"; readonly key: string }
  | { readonly kind: "rerunFrom"; readonly key: string; readonly executionIds: ReadonlyMap<string, string> }
  | { readonly kind: "skipNode"; readonly key: string }
  | { readonly kind: "markSuccess"; readonly key: string }
  | { readonly kind: "cancelNode"; readonly key: string }
  | { readonly kind: "reviewNode"; readonly key: string }
  | { readonly kind: "cancelRun" }
  | { readonly kind: "pauseRun" }
  | { readonly kind: "resumeRun" };
