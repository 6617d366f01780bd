import type { Route } from "../routing/route";
import type { AttemptFailure, Decision, NodeChange, NodeFacts, PlanNode, RunFacts, RunPlan } from "./model";
import type { AttemptOutcome, NodeState } from "./states";
import { decideTransition, type Facts, type NodeEvent, type TransitionVerdict } from "./transitions";

/** A run while one event is being decided: what is here is private to `decide` until it is done. */
export interface Draft {
  readonly plan: RunPlan;
  readonly run: RunFacts;
  readonly now: Date;
  readonly nodes: Map<string, NodeFacts>;
  readonly changes: NodeChange[];
  activated: boolean;
  pausedByPerson: boolean;
  cancelRequested: boolean;
}

/** What became of an event: the draft has been changed, or nothing of it counts. */
export type Outcome = { readonly kind: "done"; readonly cause: string } | Exclude<Decision, { kind: "applied" }>;

export function draftOf(plan: RunPlan, run: RunFacts, now: Date): Draft {
  const { activated, pausedByPerson, cancelRequested } = run;
  return { plan, run, now, nodes: new Map(run.nodes), changes: [], activated, pausedByPerson, cancelRequested };
}

/** A step that is about to be taken. What is left out holds: guards are open, nothing failed, the facts stay. */
export interface Move {
  readonly event: NodeEvent;
  readonly cause: string;
  readonly guards?: Partial<Facts>;
  readonly patch?: Partial<NodeFacts>;
  readonly failure?: AttemptFailure | null;
  /** How the attempt ended, where the event alone does not tell. */
  readonly outcome?: AttemptOutcome;
  /** The rule that decided on it. */
  readonly route?: Route | null;
}

const OPEN: Facts = { freshToken: true, budgetLeft: true, deadlineAhead: true };

/** Takes a step if the table allows it, and appends it to the draft. */
export function move(draft: Draft, key: string, step: Move): TransitionVerdict {
  const node = draft.nodes.get(key);
  const planned = draft.plan.byKey.get(key);
  if (!node || !planned) throw new RangeError(`run ${draft.run.id} has no node "${key}"`);
  const verdict = decideTransition(node.state, step.event, { ...OPEN, ...step.guards });
  if (verdict.kind !== "moved") return verdict;
  const entered = enter(draft, planned, verdict.raisesGeneration ? renewed(node) : node, verdict.to, step.event);
  const next: NodeFacts = { ...entered, ...step.patch };
  draft.nodes.set(key, next);
  draft.changes.push({
    key,
    event: step.event,
    from: node.state,
    to: next.state,
    before: node,
    next,
    outcome: node.state === "RUNNING" ? (step.outcome ?? OUTCOMES[step.event] ?? null) : null,
    failure: step.failure ?? null,
    route: step.route ?? null,
    cause: step.cause,
  });
  return verdict;
}

/** How each event that ends an attempt leaves it. */
const OUTCOMES: Readonly<Partial<Record<NodeEvent, AttemptOutcome>>> = {
  succeeded: "succeeded",
  attemptFailed: "failed",
  attemptDied: "failed",
  attemptTimedOut: "timed_out",
  sentToReview: "failed",
  degraded: "failed",
  deadlinePassed: "timed_out",
  workerLost: "lost",
  handedBack: "handed_back",
  reviewRequested: "canceled",
  cancelRequested: "canceled",
};

/** A new generation: a fresh budget, a fresh deadline, the same execution. */
const renewed = (node: NodeFacts): NodeFacts => ({
  ...node,
  generation: node.generation + 1,
  attemptNo: 0,
  attempts: 0,
  readyAt: null,
  dueAt: null,
  deadlineAt: null,
  skipCause: null,
});

/** Events after which a node keeps its place in the queue. */
const KEEPS_PLACE: ReadonlySet<NodeEvent> = new Set(["workerLost", "handedBack"]);

function enter(draft: Draft, planned: PlanNode, node: NodeFacts, to: NodeState, event: NodeEvent): NodeFacts {
  const left: NodeFacts = { ...node, state: to, dueAt: null };
  switch (to) {
    case "QUEUED":
      return { ...left, readyAt: KEEPS_PLACE.has(event) ? (node.readyAt ?? draft.now) : draft.now };
    case "RUNNING":
      return started(draft, planned, left, event);
    case "PENDING":
    case "RETRYING":
    case "AWAITING_APPROVAL":
    case "MANUAL_REVIEW":
    case "SUCCESS":
    case "FAILED":
    case "TIMEOUT":
    case "CANCELED":
    case "SKIPPED":
      return left;
  }
}

/** A wait holds no worker: it has an attempt to show, no budget and no deadline. */
function started(draft: Draft, planned: PlanNode, node: NodeFacts, event: NodeEvent): NodeFacts {
  const begun = { ...node, token: node.token + 1, attemptNo: node.attemptNo + 1 };
  if (event === "waitStarted") {
    const dueAt = planned.waitMs === null ? null : new Date(draft.now.getTime() + planned.waitMs);
    return { ...begun, readyAt: node.readyAt ?? draft.now, dueAt };
  }
  return { ...begun, attempts: node.attempts + 1, deadlineAt: node.deadlineAt ?? new Date(draft.now.getTime() + planned.deadlineMs) };
}
