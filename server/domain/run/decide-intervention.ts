import { standsBy, verdictOf } from "./advance";
import { cancelAll, cancelOne, takenFromWorker } from "./cancel";
import { type Draft, type Move, move, type Outcome } from "./draft";
import type { NodeFacts, RunEvent } from "./model";
import { descendantsIn } from "./plan";
import { rerunPlan } from "./rerun-plan";
import { isTerminalRun, type NodeState, type RunState } from "./states";

type Of<Kind extends RunEvent["kind"]> = Extract<RunEvent, { kind: Kind }>;
type Intervention = Of<
  "retryNode" | "rerunFrom" | "skipNode" | "markSuccess" | "cancelNode" | "reviewNode" | "cancelRun" | "pauseRun" | "resumeRun"
>;

/** What people press. What the state does not allow is refused by name, so that the screen can say what is possible. */
export function decideIntervention(draft: Draft, event: Intervention): Outcome {
  switch (event.kind) {
    case "cancelRun":
      return cancelRun(draft);
    case "pauseRun":
      return pauseRun(draft);
    case "resumeRun":
      return resumeRun(draft);
    case "retryNode":
    case "rerunFrom":
    case "skipNode":
    case "markSuccess":
    case "cancelNode":
    case "reviewNode": {
      const node = draft.nodes.get(event.key);
      if (!node || !draft.plan.byKey.has(event.key)) return refused(event.key, draft.run.state, `the run has no node "${event.key}"`);
      return onNode(draft, node, event);
    }
  }
}

function onNode(draft: Draft, node: NodeFacts, event: Exclude<Intervention, Of<"cancelRun" | "pauseRun" | "resumeRun">>): Outcome {
  const { key } = event;
  switch (event.kind) {
    case "retryNode":
      return retryNode(draft, node);
    case "rerunFrom":
      return rerunFrom(draft, node, event.executionIds);
    case "skipNode":
      return goOnAfter(draft, node, { event: "skipRequested", cause: "skipped by a person", patch: { skipCause: "person" } });
    case "markSuccess":
      return goOnAfter(draft, node, { event: "successMarked", cause: "marked as success by a person" });
    case "cancelNode": {
      const verdict = cancelOne(draft, key, "cancelled by a person");
      return verdict.kind === "moved"
        ? done("a node was cancelled")
        : refused(key, node.state, `a node that is ${node.state} has nothing to cancel`);
    }
    case "reviewNode":
      return step(draft, node, { event: "reviewRequested", cause: "sent to review by a person", patch: takenFromWorker(draft, key) });
  }
}

const done = (cause: string): Outcome => ({ kind: "done", cause });
const refused = (key: string | null, state: NodeState | RunState, reason: string): Outcome => ({ kind: "refused", key, state, reason });

function step(draft: Draft, node: NodeFacts, wanted: Move): Outcome {
  const verdict = move(draft, node.key, wanted);
  return verdict.kind === "moved"
    ? done(wanted.cause)
    : refused(node.key, node.state, `a node that is ${node.state} does not take ${wanted.event}`);
}

/** A person who revives a run that had ended takes back its cancellation and its pause. */
function revive(draft: Draft): void {
  draft.cancelRequested = false;
  if (isTerminalRun(draft.run.state)) draft.pausedByPerson = false;
}

function cancelRun(draft: Draft): Outcome {
  const { state } = draft.run;
  if (isTerminalRun(state)) return refused(null, state, `the run is ${state} already`);
  draft.cancelRequested = true;
  cancelAll(draft, "the run was cancelled");
  return done("cancelled by a person");
}

function pauseRun(draft: Draft): Outcome {
  const { state } = draft.run;
  if (isTerminalRun(state)) return refused(null, state, `the run is ${state} already`);
  if (draft.pausedByPerson) return refused(null, state, "the run is paused by a person already");
  draft.pausedByPerson = true;
  return done("paused by a person");
}

/** What was held gets its total deadline anew, since the pause was not its fault. */
function resumeRun(draft: Draft): Outcome {
  if (!draft.pausedByPerson) return refused(null, draft.run.state, "no person has paused the run");
  draft.pausedByPerson = false;
  for (const [key, node] of draft.nodes) {
    if (node.state === "QUEUED" || node.state === "RETRYING") draft.nodes.set(key, { ...node, deadlineAt: null });
  }
  return done("resumed by a person");
}

/** Runs a node again under the same execution, at once or as soon as its join allows. */
function retryNode(draft: Draft, node: NodeFacts): Outcome {
  if (node.state === "SUCCESS") return refused(node.key, node.state, "it has succeeded; to run it again, rerun from it");
  const standsBy = standingBy(draft, node);
  if (standsBy !== null) return refused(node.key, node.state, standsBy);
  if (node.state === "SKIPPED" && staysSkipped(draft, node.key)) {
    return refused(node.key, node.state, "what comes before it skips it again; retry, skip or mark that first");
  }
  const outcome =
    node.state === "RETRYING" ? step(draft, node, { event: "retryRequested", cause: RETRIED }) : restart(draft, node, "retryRequested", {});
  if (outcome.kind !== "done") return outcome;
  revive(draft);
  reopenBelow(draft, node.key);
  return outcome;
}

/** Why a node that stands by for another is not started by a press; null for any other node, or once it has run. */
function standingBy(draft: Draft, node: NodeFacts): string | null {
  if (node.state !== "SKIPPED" || node.skipCause !== "branch") return null;
  const principals = draft.plan.byKey.get(node.key)?.standsInFor ?? [];
  return principals.length === 0 ? null : `it stands by for ${principals.join(", ")} and does not start by itself`;
}

function staysSkipped(draft: Draft, key: string): boolean {
  const planned = draft.plan.byKey.get(key);
  const verdict = planned ? verdictOf(draft, planned) : null;
  return verdict?.kind === "skip" || (verdict?.kind === "blocked" && verdict.final && draft.plan.onFailure !== "pause");
}

const RETRIED = "retried by a person";
const RERUN = "run again by a person";

/** A node whose join does not hold now waits for its parents again; so does one that no worker takes. */
function restart(draft: Draft, node: NodeFacts, event: "retryRequested" | "rerunRequested", patch: Partial<NodeFacts>): Outcome {
  const planned = draft.plan.byKey.get(node.key);
  const cause = event === "retryRequested" ? RETRIED : RERUN;
  const startsNow = planned !== undefined && planned.type !== "wait" && node.state !== "SKIPPED" && draft.activated;
  if (startsNow && !standsBy(draft, planned) && verdictOf(draft, planned).kind === "ready")
    return step(draft, node, { event, cause, patch });
  return step(draft, node, { event: "reopened", cause, patch });
}

function goOnAfter(draft: Draft, node: NodeFacts, wanted: Move): Outcome {
  const outcome = step(draft, node, wanted);
  if (outcome.kind !== "done") return outcome;
  revive(draft);
  reopenBelow(draft, node.key);
  return outcome;
}

/** What was given up because of this node gets its chance again; what has succeeded stays as it is (B69). */
function reopenBelow(draft: Draft, key: string): void {
  for (const { key: below } of descendantsIn(draft.plan, key, draft.nodes)) {
    const node = draft.nodes.get(below);
    const givenUp = node?.state === "CANCELED" || (node?.state === "SKIPPED" && node.skipCause === "upstream");
    if (givenUp) move(draft, below, { event: "reopened", cause: `${key} goes on` });
  }
}

/** Runs a node and all that has run after it again; what had succeeded becomes a new execution (IDM-1). */
function rerunFrom(draft: Draft, node: NodeFacts, executionIds: ReadonlyMap<string, string>): Outcome {
  const standsBy = standingBy(draft, node);
  if (standsBy !== null) return refused(node.key, node.state, standsBy);
  const planned = rerunPlan(draft.plan, draft.nodes, node.key);
  if (planned.kind === "refused") return refused(planned.key, planned.state, planned.reason);
  const missing = planned.newExecutions.find((key) => !executionIds.has(key));
  if (missing !== undefined) return refused(missing, "SUCCESS", `"${missing}" has succeeded since the rerun was planned; plan it again`);
  const renewedId = (key: string) =>
    planned.newExecutions.includes(key) ? { executionId: executionIds.get(key) ?? "", maybeRepeated: false } : {};
  for (const key of planned.reopened) move(draft, key, { event: "reopened", cause: `${node.key} is run again`, patch: renewedId(key) });
  const event = node.state === "SUCCESS" ? "rerunRequested" : "retryRequested";
  const outcome = restart(draft, node, event, renewedId(node.key));
  if (outcome.kind === "done") revive(draft);
  return outcome;
}
