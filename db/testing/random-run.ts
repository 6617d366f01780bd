import fc from "fast-check";
import { ROUTE_ACTIONS, type Route } from "../../server/domain/routing/route";
import type { AttemptFailure, NodeChange, RunEvent } from "../../server/domain/run/model";
import { rerunPlan } from "../../server/domain/run/rerun-plan";
import { checkDecision, must } from "./decision-checks";
import { naiveRoute } from "./naive-route";
import { type Answer, NaiveRun } from "./naive-run";
import { failureOf, planFor, ToldRun } from "./plans";
import { type RandomPlan, randomPlans } from "./random-plans";

// What can happen, as often as it stands here: workers claim, end, crash and come back; their messages are delivered late,
// twice, in another order, or never; time goes on; sweepers look; people press.
const WHAT = [
  ...["claim", "claim", "claim", "claim", "finish", "finish", "finish", "finish", "deliver", "deliver", "deliver", "deliver"],
  ...[
    "duplicate",
    "drop",
    "crashWorker",
    "expireLease",
    "recover",
    "recover",
    "tick",
    "tick",
    "sweep",
    "sweep",
    "overdue",
    "handOn",
    "stuck",
  ],
  ...["retryNode", "retryNode", "rerunFrom", "skipNode", "markSuccess", "cancelNode", "reviewNode", "cancelRun", "pauseRun", "resumeRun"],
  "activated",
] as const;

/** A step: what happens, to which node or worker, and a number that each kind reads as it likes. */
export interface Step {
  readonly what: string;
  readonly at: number;
  readonly number: number;
}

const MESSAGES = { finish: true, deliver: true, duplicate: true, drop: true };
/** How many have died so far is known when it is told. */
const DIED = { ...failureOf("TEST_TASK_CRASH_500"), deaths: 0 };
/** What the code alone decides on, where the node says nothing. */
const CODES = ["TEST_STEP_BROKEN_500", "TEST_API_RATE_LIMIT_429", "TEST_DB_DEADLOCK_500", "TEST_FORM_VALIDATION_400", "TEST_X_409"];
const TIMED_OUT = failureOf("TEST_A_TIMEOUT_504");
/** The task made failed calls again by itself, at times more often than the node's policy has retries. */
const withInner = (failure: AttemptFailure, at: number): AttemptFailure => (at < 12 ? failure : { ...failure, innerRetries: (at % 3) + 1 });

interface Held {
  readonly key: string;
  readonly token: number;
  readonly worker: number;
}

export interface History {
  readonly plan: RandomPlan;
  readonly steps: readonly Step[];
}

const WORKERS = 3;

export const histories = (steps: number): fc.Arbitrary<History> =>
  fc.record({
    plan: randomPlans({ maxNodes: 7, delays: ["1s", "10s"], jitter: [0, 0.5], deadline: "1m", wait: "5s", rich: true }),
    steps: fc.array(fc.record({ what: fc.constantFrom(...WHAT), at: fc.nat(20), number: fc.nat(1_000) }), {
      maxLength: steps,
      size: "max",
    }),
  });

/** One run, told to `decide` and to the naive model alike; they must agree after every event. */
export class RandomRun extends ToldRun {
  readonly naive: NaiveRun;
  readonly changes: NodeChange[] = [];
  /** Attempts that a living worker holds, and what it has sent of them. */
  #held: Held[] = [];
  readonly #inFlight: RunEvent[] = [];
  readonly #delivered: RunEvent[] = [];
  readonly #orphans = new Set<string>();
  readonly #names = new Map<string, string>();
  readonly #ids = new Set<string>();
  #made = 0;

  constructor({ nodes, onFailure }: RandomPlan) {
    super(planFor(nodes, { onFailure }));
    this.naive = new NaiveRun(this.plan);
    this.naive.now = this.now.getTime();
  }

  play(steps: readonly Step[]): this {
    this.feed({ kind: "activated" });
    for (const step of steps) this.take(step);
    return this;
  }

  take({ what, at, number }: Step): void {
    const key = this.plan.nodes[at % this.plan.nodes.length]?.key ?? "n0";
    if (what === "claim") this.#claim(key, number);
    else if (what === "handOn") this.#start({ kind: "handedOn", key }, number);
    else if (what === "crashWorker") this.#leaseEnds(at % WORKERS, true);
    // Its worker is only slow: it goes on, and what it reports later is late.
    else if (what === "expireLease") this.#leaseEnds(at % WORKERS, false);
    else if (what === "recover") this.#recover();
    else if (what === "tick") this.wait(number * 20);
    else if (what === "sweep") this.sweep();
    else if (what in MESSAGES) this.#post(what as keyof typeof MESSAGES, at, number);
    else if (what === "stuck") this.feed({ kind: "retryStuck", key });
    else if (what === "overdue") this.feed({ kind: "attemptTimedOut", key, token: this.node(key).token, failure: TIMED_OUT, jitter: 0 });
    else this.feed(this.#wishOf(what, key));
  }

  /** What becomes of a message on its way, and of one that has come already. */
  #post(what: keyof typeof MESSAGES, at: number, number: number): void {
    const take = <T>(list: T[]): T | undefined => list.splice(number % Math.max(1, list.length), 1)[0];
    if (what === "finish") {
      const held = take(this.#held);
      if (held) this.#inFlight.push(reportOf(held, at, number));
      return;
    }
    const event = what === "duplicate" ? this.#delivered[number % Math.max(1, this.#delivered.length)] : take(this.#inFlight);
    if (!event || what === "drop") return;
    if (what === "deliver") this.#deliver(event);
    else this.feed(event);
  }

  override wait(ms: number): this {
    super.wait(ms);
    this.naive.now = this.now.getTime();
    return this;
  }

  /** What the leader's loops would find. */
  sweep(): void {
    for (const { key, state, dueAt, deadlineAt } of [...this.facts.nodes.values()]) {
      if (dueAt && dueAt <= this.now) this.feed({ kind: state === "RETRYING" ? "retryDue" : "waitElapsed", key });
      if (deadlineAt && deadlineAt <= this.now) this.feed({ kind: "deadlinePassed", key, failure: failureOf("APOLLO_NODE_DEADLINE_504") });
    }
  }

  feed(told: RunEvent): void {
    const event = this.#withDeaths(told);
    const before = this.facts;
    const answer = tellNaive(this.naive, event);
    const decision = this.tell(event);
    must(decision.kind === answer, `${event.kind} is ${decision.kind}, and by the naive model ${answer}`);
    if (decision.kind === "applied") {
      checkDecision({ plan: this.plan, before, event, changes: decision.changes, after: this.facts, now: this.now });
      this.changes.push(...decision.changes);
    } else must(this.facts === before, "what is not applied changes nothing");
    this.#compare(event.kind);
  }

  /** The engine counts what was lost or died under a node; here the model does. */
  #withDeaths(event: RunEvent): RunEvent {
    if (event.kind === "workerLost" || (event.kind === "attemptFailed" && event.failure.deaths !== undefined)) {
      return { ...event, failure: { ...event.failure, deaths: this.naive.node(event.key).deaths + 1 } };
    }
    return event;
  }

  #compare(what: string): void {
    const { facts, naive } = this;
    must(facts.state === naive.state, `after ${what} the run is ${facts.state}, and by the naive model ${naive.state}`);
    for (const mine of naive.nodes) {
      const node = this.node(mine.plan.key);
      const same =
        node.state === mine.state &&
        node.skipCause === mine.skip &&
        node.generation === mine.generation &&
        node.token === mine.token &&
        node.attemptNo === mine.attempt &&
        node.attempts === mine.charged &&
        node.maybeRepeated === mine.repeated &&
        (node.dueAt?.getTime() ?? null) === mine.dueAt &&
        (node.deadlineAt?.getTime() ?? null) === mine.deadlineAt &&
        this.#isNamed(mine.execution, node.executionId);
      if (!same)
        must(same, `after ${what} ${node.key} is ${JSON.stringify(node)}, and by the naive model ${JSON.stringify({ ...mine, plan: 0 })}`);
    }
  }

  /** The model gives its executions names of its own: each stands for one id, and for no other. */
  #isNamed(name: string, id: string): boolean {
    if (!this.#names.has(name) && !this.#ids.has(id)) {
      this.#names.set(name, id);
      this.#ids.add(id);
    }
    return this.#names.get(name) === id;
  }

  #claim(key: string, number: number): void {
    const queued = [...this.facts.nodes.values()].filter(({ state }) => state === "QUEUED");
    const node = number % 8 === 0 ? this.node(key) : (queued[number % Math.max(1, queued.length)] ?? this.node(key));
    this.#start({ kind: "claimed", key: node.key, token: node.token + (number % 11 === 0 ? 0 : 1) }, number);
  }

  #start(event: Extract<RunEvent, { kind: "claimed" | "handedOn" }>, number: number): void {
    this.feed(event);
    if (this.last?.kind === "applied") {
      this.#held.push({ key: event.key, token: this.node(event.key).token, worker: number % WORKERS });
    }
  }

  #deliver(event: RunEvent): void {
    this.#delivered.push(event);
    this.feed(event);
  }

  #leaseEnds(worker: number, isDead: boolean): void {
    for (const held of this.#held) if (held.worker === worker) this.#orphans.add(`${held.key}/${held.token}`);
    if (isDead) this.#held = this.#held.filter((held) => held.worker !== worker);
  }

  #recover(): void {
    for (const { key, token } of [...this.facts.nodes.values()]) {
      if (!this.#orphans.has(`${key}/${token}`)) continue;
      this.#deliver({ kind: "workerLost", key, token, failure: failureOf("APOLLO_WORKER_LOST_503"), route: routeAt(token) });
    }
  }

  #wishOf(what: string, key: string): RunEvent {
    switch (what) {
      case "activated":
      case "cancelRun":
      case "pauseRun":
      case "resumeRun":
        return { kind: what };
      case "retryNode":
      case "skipNode":
      case "markSuccess":
      case "cancelNode":
      case "reviewNode":
        return { kind: what, key };
      case "rerunFrom": {
        const fresh = rerunPlan(this.plan, this.facts.nodes, key);
        const keys = fresh.kind === "plan" ? fresh.newExecutions : [];
        return { kind: "rerunFrom", key, executionIds: new Map(keys.map((each) => [each, `y-${each}-${++this.#made}`])) };
      }
      default:
        throw new Error(`no step is called ${what}`);
    }
  }
}

/** Half of the failures fit no rule. */
function routeAt(number: number): Route | null {
  const action = ROUTE_ACTIONS[number % (2 * ROUTE_ACTIONS.length)];
  if (action === undefined) return null;
  const delays = number % 3 === 0 && action === "retry" ? ({ kind: "exponential", baseMs: 700, jitterMs: 90 } as const) : null;
  return { rule: `rule ${number % 7}`, version: 3, action, delays };
}

function reportOf({ key, token }: Held, at: number, number: number): RunEvent {
  const route = routeAt(number);
  const jitter = (at % 10) / 10;
  switch (at % 8) {
    case 7:
      return { kind: "attemptFailed", key, token, failure: withInner(DIED, at), jitter, route };
    case 0:
      return { kind: "attemptFailed", key, token, failure: withInner(failureOf(CODES[number % CODES.length]), at), jitter, route };
    case 1:
      return { kind: "attemptFailed", key, token, failure: failureOf("TEST_INPUT_INVALID_422", false), jitter, route };
    case 2:
      return { kind: "attemptTimedOut", key, token, failure: withInner(TIMED_OUT, at), jitter, route };
    case 3:
      return { kind: "handedBack", key, token, begun: at % 2 === 0 };
    default:
      return { kind: "succeeded", key, token };
  }
}

function tellNaive(naive: NaiveRun, event: RunEvent): Answer {
  switch (event.kind) {
    case "activated":
      return naive.activate();
    case "claimed":
      return naive.take(event.key, event.token);
    case "handedOn":
      return naive.take(event.key);
    case "succeeded":
      return naive.succeeded(event.key, event.token);
    case "attemptFailed":
    case "attemptTimedOut": {
      const { key, token, jitter, failure } = event;
      const how = event.kind === "attemptTimedOut" ? "timedOut" : failure.deaths === undefined ? "failed" : "died";
      const { retryable, innerRetries: inner = 0, code } = failure;
      return naive.failed(key, token, { how, retryable, jitter, inner, code, route: naiveRoute(event.route) });
    }
    case "deadlinePassed":
      return naive.deadlinePassed(event.key);
    case "workerLost":
      return naive.lost(event.key, event.token, naiveRoute(event.route));
    case "handedBack":
      return naive.handedBack(event.key, event.token, event.begun);
    case "waitElapsed":
    case "retryDue":
      return naive.due(event.key);
    case "retryStuck":
      return naive.stuck(event.key);
    case "retryNode":
      return naive.retry(event.key);
    case "rerunFrom":
      return naive.rerunFrom(event.key);
    case "skipNode":
      return naive.skip(event.key);
    case "markSuccess":
      return naive.markSuccess(event.key);
    case "cancelNode":
      return naive.cancelNode(event.key);
    case "reviewNode":
      return naive.reviewNode(event.key);
    case "cancelRun":
      return naive.cancelRun();
    case "pauseRun":
      return naive.pause();
    case "resumeRun":
      return naive.resume();
  }
}
