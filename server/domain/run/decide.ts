import { advance } from "./advance";
import { cancelAll } from "./cancel";
import { decideAttempt } from "./decide-attempt";
import { decideIntervention } from "./decide-intervention";
import { type Draft, draftOf, type Outcome } from "./draft";
import type { Decision, NodeChange, RunChange, RunEvent, RunFacts, RunPlan } from "./model";
import { runStateOf } from "./run-state";
import type { RunState } from "./states";
import { canLeaveRun } from "./transitions";

/**
 * What an event does to a run (RUN-1): pure and total. Data in, steps out; a report that came too late is superseded, a
 * wish that the state does not allow is refused, and neither changes anything.
 */
export function decide(plan: RunPlan, run: RunFacts, event: RunEvent, { now }: { readonly now: Date }): Decision {
  const draft = draftOf(plan, run, now);
  const outcome = handle(draft, event);
  if (outcome.kind !== "done") return outcome;
  failFast(draft);
  advance(draft);
  return applied(draft, outcome.cause);
}

function handle(draft: Draft, event: RunEvent): Outcome {
  switch (event.kind) {
    case "activated":
      return activate(draft);
    case "claimed":
    case "handedOn":
    case "succeeded":
    case "attemptFailed":
    case "attemptTimedOut":
    case "deadlinePassed":
    case "workerLost":
    case "handedBack":
    case "waitElapsed":
    case "retryDue":
    case "retryStuck":
      return decideAttempt(draft, event);
    case "retryNode":
    case "rerunFrom":
    case "skipNode":
    case "markSuccess":
    case "cancelNode":
    case "reviewNode":
    case "cancelRun":
    case "pauseRun":
    case "resumeRun":
      return decideIntervention(draft, event);
  }
}

function activate(draft: Draft): Outcome {
  const { state } = draft.run;
  if (draft.activated || state !== "PENDING")
    return { kind: "refused", key: null, state, reason: `the run is ${state} and waits for no turn` };
  draft.activated = true;
  return { kind: "done", cause: "its turn has come" };
}

/** With `onFailure: fail` a node that has just failed for good takes its siblings with it (B64). */
function failFast(draft: Draft): void {
  if (draft.plan.onFailure !== "fail") return;
  const failed = draft.changes.find(({ to }) => to === "FAILED" || to === "TIMEOUT");
  if (failed) cancelAll(draft, `${failed.key} failed, and the pipeline fails with it`);
}

function applied(draft: Draft, cause: string): Decision {
  const { activated, pausedByPerson, cancelRequested, nodes } = draft;
  const facts = { ...draft.run, activated, pausedByPerson, cancelRequested, nodes };
  const state = runStateOf(draft.plan.onFailure, facts);
  const run = runChange(draft.run.state, state, draft.changes, cause);
  return { kind: "applied", changes: draft.changes, run, next: { ...facts, state } };
}

function runChange(from: RunState, to: RunState, changes: readonly NodeChange[], cause: string): RunChange | null {
  if (from === to) return null;
  if (!canLeaveRun(from, to))
    throw new RangeError(`a run cannot go from ${from} to ${to} (after ${changes.map((c) => c.event).join(", ") || "nothing"})`);
  return { from, to, cause };
}
