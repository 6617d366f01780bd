import type { NodeChange, NodeFacts, RunEvent, RunFacts, RunPlan } from "../../server/domain/run/model";
import { runStateOf } from "../../server/domain/run/run-state";
import { isTerminalNode, isTerminalRun, type NodeState } from "../../server/domain/run/states";
import { allowedNodePairs, leavesForGood } from "../../server/domain/run/transitions";
import { type NaiveParent, naiveJoin } from "./naive-join";
import { naiveDelay, naiveRoute } from "./naive-route";

const PAIRS: ReadonlySet<string> = new Set(allowedNodePairs());
const REVIVES: ReadonlySet<RunEvent["kind"]> = new Set(["retryNode", "rerunFrom", "skipNode", "markSuccess"]);
const MOVES: ReadonlySet<NodeState> = new Set(["QUEUED", "RUNNING", "RETRYING"]);
const AFTER_FAILURE: ReadonlySet<NodeState> = new Set(["FAILED", "TIMEOUT", "RETRYING", "MANUAL_REVIEW", "QUEUED", "SKIPPED"]);

/** Far cheaper than `expect`, which matters some million times. */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`broken: ${what}`);
}

export interface Decided {
  readonly plan: RunPlan;
  readonly before: RunFacts;
  readonly event: RunEvent;
  readonly changes: readonly NodeChange[];
  readonly after: RunFacts;
  readonly now: Date;
}

/** The invariants that are about one run, by their numbers in the reliability notes, over one applied decision. */
export function checkDecision({ plan, before, event, changes, after, now }: Decided): void {
  const states = new Map([...before.nodes.values()].map((each) => [each.key, each]));
  for (const change of changes) {
    const { state, token, generation } = states.get(change.key) ?? change.next;
    const joins = state === change.from && token === change.before.token && generation === change.before.generation;
    must(joins, `step ${change.event} of ${change.key} begins where the one before it ended`);
    checkStep(plan, states, change);
    if (change.to === "RETRYING") checkDelay(plan, change, now);
    states.set(change.key, change.next);
  }
  checkRun(plan, after);
  if ("token" in event && event.kind !== "claimed") {
    must(before.nodes.get(event.key)?.token === event.token, "3: only a report with the current token is applied");
  }
  const started = changes.some(({ to }) => to === "QUEUED" || to === "RUNNING");
  if (before.cancelRequested && !REVIVES.has(event.kind)) {
    must(!started, "9: after a cancel nothing starts, unless a person revives the run");
  }
  if (event.kind === "claimed" || event.kind === "handedOn") must(!before.pausedByPerson, "nothing is taken during a pause");
}

function checkRun(plan: RunPlan, after: RunFacts): void {
  const states = [...after.nodes.values()].map(({ state }) => state);
  must(after.state === runStateOf(plan.onFailure, after), "8: the state of the run is a function of its nodes");
  if (isTerminalRun(after.state)) must(states.every(isTerminalNode), "8: a run that has ended has nothing left to move");
  if (after.state === "SUCCESS") {
    must(
      states.every((state) => state === "SUCCESS" || state === "SKIPPED"),
      "8: SUCCESS is without failures",
    );
  }
  if (after.state === "RUNNING") {
    must(
      states.some((state) => MOVES.has(state)),
      "8: a run that is RUNNING moves",
    );
  }
}

function checkStep(plan: RunPlan, states: ReadonlyMap<string, NodeFacts>, change: NodeChange): void {
  const { key, from, to, before, next } = change;
  const planned = plan.byKey.get(key);
  must(PAIRS.has(`${from}>${to}`), `1: ${from}>${to} is in the table`);
  must(next.generation === before.generation + (leavesForGood(from) ? 1 : 0), "1: what leaves for good begins a new generation");
  must(next.token >= before.token, "a token never goes back");
  const began = to === "RUNNING";
  const base = leavesForGood(from) ? 0 : before.attemptNo;
  must(next.attemptNo === (began ? base + 1 : base), "2: attempts are numbered without gaps");
  if (began) must(next.token === before.token + 1, "2: every attempt has a token of its own");
  const parents = (planned?.needs ?? []).map((need) => seenBy(plan, states, need, key));
  if (change.event === "ready" || change.event === "waitStarted") {
    must(planned !== undefined && naiveJoin(planned.join, parents) === "start", "5: its rule holds when it becomes ready");
  }
  if (change.event === "branchNotTaken" && next.skipCause !== "branch") {
    must(
      parents.every(({ state }) => isTerminalNode(state)),
      "7: a skip is passed on when every parent has ended",
    );
  }
  const budget = (planned?.retries ?? 0) + 1;
  must(next.attempts <= budget + (change.failure?.innerRetries ?? 0), "19: attempts stay within the budget");
  if (began) must(next.attempts <= budget, "19: none begins beyond the budget");
  if (to === "RETRYING") {
    must(next.attempts < budget, "19: a retry is left, inner ones counted");
    must(!next.deadlineAt || (next.dueAt !== null && next.dueAt < next.deadlineAt), "19: no retry past the total deadline");
  }
  must(planned?.type !== "wait" || (to !== "QUEUED" && to !== "RETRYING"), "a wait is never queued");
  if (change.outcome !== null) must(from === "RUNNING", "only a running attempt ends");
  if (change.failure) must(AFTER_FAILURE.has(to), `a failure does not lead to ${to}`);
}

/** By the attempt that ended: what the task made again inside takes from the budget, and has waited already. */
function checkDelay(plan: RunPlan, { key, before, next, failure, route }: NodeChange, now: Date): void {
  const planned = plan.byKey.get(key);
  const least = planned ? naiveDelay({ plan: planned, charged: before.attempts }, failure?.code ?? "", naiveRoute(route), 0) : 0;
  must((next.dueAt?.getTime() ?? 0) - now.getTime() >= Math.round(least), "19: no retry before its time");
}

/** A parent as a node sees it: a degraded one as what stands in for it; and to that one its place is free. */
function seenBy(plan: RunPlan, states: ReadonlyMap<string, NodeFacts>, parent: string, by: string): NaiveParent {
  const seen = new Set<string>();
  for (let key = parent; ; ) {
    const { state, skipCause } = states.get(key) ?? { state: "PENDING" as const, skipCause: null };
    const standIn = plan.byKey.get(key)?.fallback ?? null;
    if (skipCause !== "degraded") return { state, skip: skipCause };
    if (standIn === by) return { state: "SKIPPED", skip: "person" };
    if (standIn === null || seen.has(standIn)) return { state: "SKIPPED", skip: "branch" };
    seen.add(standIn);
    key = standIn;
  }
}
