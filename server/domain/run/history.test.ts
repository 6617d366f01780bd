import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureOf, type NodeInput, node, planFor, ToldRun, waitNode } from "@/db/testing/plans";
import { FAILURE_POLICIES, JOIN_RULES } from "../pipeline/definition";
import { changeData, type FoldEvent, foldEvents } from "./fold";
import type { NodeChange, RunEvent, RunFacts, RunPlan } from "./model";
import { rerunPlan } from "./rerun-plan";
import { runStateOf } from "./run-state";
import { isTerminalNode, isTerminalRun, type NodeState } from "./states";
import { allowedNodePairs, leavesForGood } from "./transitions";

const HISTORIES = 8_000;
const STEPS = 40;
const PAIRS = new Set(allowedNodePairs());

/** A step of a random history: what happens, to which node, and a number that each kind reads as it likes. */
interface Step {
  readonly what: (typeof WHAT)[number];
  readonly at: number;
  readonly number: number;
}

const WHAT = [
  "claim",
  "claim",
  "claim",
  "report",
  "report",
  "report",
  "report",
  "repeat",
  "lose",
  "tick",
  "tick",
  "sweep",
  "sweep",
  "handOn",
  "retryNode",
  "rerunFrom",
  "skipNode",
  "markSuccess",
  "cancelNode",
  "reviewNode",
  "cancelRun",
  "pauseRun",
  "resumeRun",
  "activated",
] as const;

const planArbitrary: fc.Arbitrary<RunPlan> = fc
  .record({
    nodes: fc.array(
      fc.record({
        needs: fc.array(fc.nat(), { maxLength: 3 }),
        join: fc.constantFrom(...JOIN_RULES),
        retries: fc.integer({ min: 0, max: 2 }),
        isWait: fc.integer({ min: 0, max: 6 }).map((n) => n === 0),
      }),
      { minLength: 1, maxLength: 7 },
    ),
    onFailure: fc.constantFrom(...FAILURE_POLICIES),
  })
  .map(({ nodes, onFailure }) =>
    planFor(
      nodes.map(({ needs, join, retries, isWait }, index): NodeInput => {
        const keys = index === 0 ? [] : [...new Set(needs.map((need) => `n${need % index}`))];
        const retry = { retries, delays: ["1s", "10s"], jitter: [0, 0.5] as [number, number] };
        return isWait ? { ...waitNode(`n${index}`, keys, { for: "5s" }), join } : node(`n${index}`, keys, { join, retry, deadline: "1m" });
      }),
      { onFailure },
    ),
  );

const stepArbitrary: fc.Arbitrary<Step> = fc.record({ what: fc.constantFrom(...WHAT), at: fc.nat(20), number: fc.nat(1_000) });

/** A run under a random history, with the tokens that workers, past and present, hold. */
class History extends ToldRun {
  readonly held: { key: string; token: number }[] = [];
  readonly reported: RunEvent[] = [];
  readonly changes: NodeChange[] = [];
  readonly completed = new Set<string>();
  #made = 0;

  take(step: Step): void {
    const event = this.eventOf(step);
    if (event) this.feed(event);
    if (step.what === "sweep") this.sweep();
  }

  feed(event: RunEvent): void {
    const before = this.facts;
    const decision = this.tell(event);
    if (decision.kind !== "applied") {
      must(this.facts === before, "what is not applied changes nothing");
      return;
    }
    checkDecision(this.plan, before, decision.changes, this.facts, event, this.now);
    this.changes.push(...decision.changes);
    for (const change of decision.changes) {
      if (change.to === "RUNNING") this.held.push({ key: change.key, token: change.next.token });
      if (change.to === "SUCCESS") this.complete(change);
    }
  }

  /** Invariant 3: an execution is completed once at most. */
  complete({ next }: NodeChange): void {
    must(!this.completed.has(next.executionId), `execution ${next.executionId} is completed once`);
    this.completed.add(next.executionId);
  }

  /** What the leader's loops would find. */
  sweep(): void {
    for (const { key, state, dueAt, deadlineAt } of [...this.facts.nodes.values()]) {
      if (dueAt && dueAt <= this.now) this.feed({ kind: state === "RETRYING" ? "retryDue" : "waitElapsed", key });
      if (deadlineAt && deadlineAt <= this.now) this.feed({ kind: "deadlinePassed", key, failure: failureOf("APOLLO_NODE_DEADLINE_504") });
    }
  }

  eventOf({ what, at, number }: Step): RunEvent | null {
    const planned = this.plan.nodes[at % this.plan.nodes.length];
    const key = planned?.key ?? "n0";
    const held = this.held[this.held.length - 1 - (number % Math.max(1, this.held.length))];
    switch (what) {
      case "activated":
      case "cancelRun":
      case "pauseRun":
      case "resumeRun":
        return { kind: what };
      case "claim":
        return { kind: "claimed", key, token: this.node(key).token + 1 };
      case "handOn":
        return { kind: "handedOn", key };
      case "report":
        return held ? this.keep(this.reportOf(held, at)) : null;
      case "repeat":
        return this.reported[number % Math.max(1, this.reported.length)] ?? null;
      case "lose":
        return held ? this.keep({ kind: "workerLost", ...held, failure: failureOf("APOLLO_WORKER_LOST_503") }) : null;
      case "tick":
        this.wait(number * 20);
        return null;
      case "sweep":
        return null;
      case "rerunFrom": {
        const fresh = rerunPlan(this.plan, this.facts.nodes, key);
        const keys = fresh.kind === "plan" ? fresh.newExecutions : [];
        return { kind: "rerunFrom", key, executionIds: new Map(keys.map((each) => [each, `x-${each}-${++this.#made}`])) };
      }
      case "retryNode":
      case "skipNode":
      case "markSuccess":
      case "cancelNode":
      case "reviewNode":
        return { kind: what, key };
    }
  }

  keep(event: RunEvent): RunEvent {
    this.reported.push(event);
    return event;
  }

  reportOf(held: { key: string; token: number }, at: number): RunEvent {
    const jitter = (at % 10) / 10;
    switch (at % 6) {
      case 0:
        return { kind: "attemptFailed", ...held, failure: failureOf(), jitter };
      case 1:
        return { kind: "attemptFailed", ...held, failure: failureOf("TEST_INPUT_INVALID_422", false), jitter };
      case 2:
        return { kind: "attemptTimedOut", ...held, failure: failureOf("TEST_A_TIMEOUT_504"), jitter };
      case 3:
        return { kind: "handedBack", ...held, begun: at % 2 === 0 };
      default:
        return { kind: "succeeded", ...held };
    }
  }
}

/** Whether a rule lets a node start, written anew and in another way than the rule under test. */
function naivelyReady(plan: RunPlan, states: ReadonlyMap<string, { state: NodeState; skipCause: string | null }>, key: string): boolean {
  const planned = plan.byKey.get(key);
  if (!planned || planned.needs.length === 0) return planned !== undefined;
  const parents = planned.needs.flatMap((need) => states.get(need) ?? []);
  const satisfied = parents.filter(({ state, skipCause }) => state === "SUCCESS" || (state === "SKIPPED" && skipCause === "person"));
  const ended = parents.filter(({ state }) => isTerminalNode(state));
  switch (planned.join) {
    case "all_success":
      return satisfied.length === parents.length;
    case "all_done":
      return ended.length === parents.length;
    case "one_success":
      return satisfied.length > 0;
    case "none_failed":
      return (
        satisfied.length > 0 && ended.length === parents.length && ended.every(({ state }) => state === "SUCCESS" || state === "SKIPPED")
      );
  }
}

const REVIVES: ReadonlySet<RunEvent["kind"]> = new Set(["retryNode", "rerunFrom", "skipNode", "markSuccess"]);

/** Far cheaper than `expect`, which matters some million times. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`broken: ${what}`);
}

function checkDecision(plan: RunPlan, before: RunFacts, changes: readonly NodeChange[], after: RunFacts, event: RunEvent, now: Date): void {
  const states = new Map([...before.nodes.values()].map((each) => [each.key, each]));
  for (const change of changes) {
    const { state, token, generation } = states.get(change.key) ?? change.next;
    const joins = state === change.from && token === change.before.token && generation === change.before.generation;
    must(joins, `step ${change.event} of ${change.key} begins where the one before it ended`);
    checkStep(plan, states, change, now);
    states.set(change.key, change.next);
  }
  const nodes = [...after.nodes.values()];
  must(after.state === runStateOf(plan.onFailure, after), "8: the state of the run is a function of its nodes");
  if (isTerminalRun(after.state))
    must(
      nodes.every(({ state }) => isTerminalNode(state)),
      "8: a run that has ended has nothing left to move",
    );
  if (after.state === "SUCCESS")
    must(
      nodes.every(({ state }) => state === "SUCCESS" || state === "SKIPPED"),
      "8: SUCCESS is without failures",
    );
  if (after.state === "RUNNING")
    must(
      nodes.some(({ state }) => MOVES.has(state)),
      "8: a run that is RUNNING moves",
    );
  if ("token" in event && event.kind !== "claimed") {
    must(before.nodes.get(event.key)?.token === event.token, "3: only a report with the current token is applied");
  }
  const started = changes.some(({ to }) => to === "QUEUED" || to === "RUNNING");
  if (before.cancelRequested && !REVIVES.has(event.kind))
    must(!started, "9: after a cancel nothing starts, unless a person revives the run");
  if (event.kind === "claimed" || event.kind === "handedOn") must(!before.pausedByPerson, "nothing is taken during a pause");
}

const MOVES: ReadonlySet<NodeState> = new Set(["QUEUED", "RUNNING", "RETRYING"]);
const AFTER_FAILURE: ReadonlySet<NodeState> = new Set(["FAILED", "TIMEOUT", "RETRYING", "MANUAL_REVIEW", "QUEUED"]);

function checkStep(plan: RunPlan, states: ReadonlyMap<string, NodeChange["before"]>, change: NodeChange, now: Date): void {
  const { key, from, to, before, next } = change;
  const planned = plan.byKey.get(key);
  must(PAIRS.has(`${from}>${to}`), `1: ${from}>${to} is in the table`);
  must(next.generation === before.generation + (leavesForGood(from) ? 1 : 0), "1: what leaves for good begins a new generation");
  must(next.token >= before.token, "a token never goes back");
  const began = to === "RUNNING";
  const base = leavesForGood(from) ? 0 : before.attemptNo;
  must(next.attemptNo === (began ? base + 1 : base), "2: attempts are numbered without gaps");
  if (began) must(next.token === before.token + 1, "2: every attempt has a token of its own");
  if (change.event === "ready" || change.event === "waitStarted")
    must(naivelyReady(plan, states, key), "5: its rule holds when it becomes ready");
  if (change.event === "branchNotTaken") {
    const ended = planned?.needs.every((need) => isTerminalNode(states.get(need)?.state ?? "PENDING"));
    must(ended === true, "7: a skip is passed on when every parent has ended");
  }
  must(next.attempts <= (planned?.retries ?? 0) + 1, "19: attempts stay within the budget");
  if (to === "RETRYING") {
    const tier = planned?.delaysMs[Math.min(next.attempts, planned.delaysMs.length) - 1] ?? 0;
    must((next.dueAt?.getTime() ?? 0) - now.getTime() >= tier, "19: no retry before its tier");
    must(!next.deadlineAt || (next.dueAt !== null && next.dueAt < next.deadlineAt), "19: no retry past the total deadline");
  }
  must(planned?.type !== "wait" || (to !== "QUEUED" && to !== "RETRYING"), "a wait is never queued");
  if (change.outcome !== null) must(from === "RUNNING", "only a running attempt ends");
  if (change.failure) must(AFTER_FAILURE.has(to), `a failure does not lead to ${to}`);
}

const foldEvent = (change: NodeChange): FoldEvent => ({
  event: change.event,
  nodeKey: change.key,
  generation: change.next.generation,
  attemptNo: change.next.attemptNo,
  to: change.to,
  data: JSON.parse(JSON.stringify(changeData(change))) as Record<string, unknown>,
});

const play = (plan: RunPlan, steps: readonly Step[]): History => {
  const history = new History(plan);
  history.feed({ kind: "activated" });
  for (const step of steps) history.take(step);
  return history;
};

const historyArbitrary = fc.tuple(planArbitrary, fc.array(stepArbitrary, { maxLength: STEPS, size: "max" }));

describe("random histories with repeats, reorderings and losses", () => {
  it("keep every invariant of nodes, attempts and runs (RUN-1, RUN-2, IDM-2, RTY-3)", () => {
    fc.assert(
      fc.property(historyArbitrary, ([plan, steps]) => {
        play(plan, steps);
      }),
      { numRuns: HISTORIES },
    );
  });

  it("fold back from their events to the same nodes (RUN-9)", () => {
    fc.assert(
      fc.property(historyArbitrary, ([plan, steps]) => {
        const { facts, changes } = play(plan, steps);
        const folded = foldEvents([...facts.nodes.keys()], changes.map(foldEvent));
        for (const { key, state, generation, attemptNo, attempts, token, skipCause, executionId } of facts.nodes.values()) {
          const rows = {
            state,
            generation,
            attemptNo,
            attempts,
            token,
            skipCause,
            executionId: executionId === `x-${key}` ? null : executionId,
          };
          must(isDeepStrictEqual(folded.nodes.get(key), rows), `the fold of ${key} equals its row: ${JSON.stringify(rows)}`);
        }
      }),
      { numRuns: HISTORIES / 4 },
    );
  });

  it("come to rest once faults stop: the run has ended, or waits for a person who has a reason (RUN-7)", () => {
    fc.assert(
      fc.property(historyArbitrary, ([plan, steps]) => {
        const history = play(plan, steps);
        if (!history.facts.activated) history.feed({ kind: "activated" });
        if (history.facts.pausedByPerson) history.feed({ kind: "resumeRun" });
        if (!history.facts.activated) history.feed({ kind: "activated" });
        for (let round = 0; round < 200 && history.facts.state === "RUNNING"; round++) {
          history.wait(5_000);
          history.sweep();
          for (const { key, state } of [...history.facts.nodes.values()]) {
            if (state === "QUEUED") history.claim(key);
            if (history.node(key).state === "RUNNING" && plan.byKey.get(key)?.type !== "wait") history.succeed(key);
          }
        }
        const { state, nodes } = history.facts;
        const held = [...nodes.values()].some((each) => ["FAILED", "TIMEOUT", "MANUAL_REVIEW", "CANCELED"].includes(each.state));
        expect(isTerminalRun(state) || (state === "PAUSED" && held), `${state}: ${JSON.stringify(history.states())}`).toBe(true);
      }),
      { numRuns: HISTORIES / 4 },
    );
  });

  it("give the same decisions when they are played again (RUN-9)", () => {
    fc.assert(
      fc.property(historyArbitrary, ([plan, steps]) => {
        expect(play(plan, steps).changes).toEqual(play(plan, steps).changes);
      }),
      { numRuns: 200 },
    );
  });
});
