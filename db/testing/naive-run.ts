import type { PlanNode, RunPlan } from "../../server/domain/run/model";
import type { AttemptOutcome, NodeState, RunState, SkipCause } from "../../server/domain/run/states";
import { naiveJoin } from "./naive-join";

/** A node as the naive model keeps it; times are milliseconds. */
export interface NaiveNode {
  readonly plan: PlanNode;
  state: NodeState;
  skip: SkipCause | null;
  generation: number;
  token: number;
  /** Attempts of this generation, and those of them that are charged. */
  attempt: number;
  charged: number;
  execution: string;
  repeated: boolean;
  /** Attempts of this generation that were lost, or died under what ran them. */
  deaths: number;
  dueAt: number | null;
  deadlineAt: number | null;
}

export interface NaiveAttempt {
  readonly key: string;
  readonly generation: number;
  readonly no: number;
  readonly token: number;
  readonly execution: string;
  outcome: AttemptOutcome | null;
}

/** What became of what was told: it moved the run, it came too late, or the state does not allow it. */
export type Answer = "applied" | "superseded" | "refused";
/** How an attempt went wrong; `died`: what ran it died under it, so that nobody knows how far it came. */
export interface FailedEnd {
  readonly how: "failed" | "timedOut" | "died";
  readonly retryable: boolean;
  readonly jitter: number;
  /** Failed calls that the task itself made again: each is charged as an attempt of its own. */
  readonly inner?: number;
}

const ENDED: readonly NodeState[] = ["SUCCESS", "FAILED", "TIMEOUT", "CANCELED", "SKIPPED"];
const LIVE: readonly NodeState[] = ["QUEUED", "RUNNING", "RETRYING", "AWAITING_APPROVAL"];
/** What takes what runs it along so often waits for a person, whatever its budget. */
const MAX_DEATHS = 3;
const OVER: readonly RunState[] = ["SUCCESS", "FAILED", "CANCELED"];

/**
 * The requirements on one run said a second time, as simply as can be: plain fields that are overwritten, no table of
 * transitions, no order of evaluation. What the engine decides must agree with it after every step (RUN-1).
 */
export class NaiveRun {
  readonly nodes: NaiveNode[];
  readonly attempts: NaiveAttempt[] = [];
  readonly completed: string[] = [];
  failures = 0;
  activated = false;
  paused = false;
  cancelWanted = false;
  now = 0;
  state: RunState = "PENDING";
  #failedNow = false;
  #made = 0;

  constructor(readonly plan: RunPlan) {
    this.nodes = plan.nodes.map((node) => ({
      plan: node,
      state: "PENDING",
      skip: null,
      generation: 1,
      token: 0,
      attempt: 0,
      charged: 0,
      execution: `x-${node.key}`,
      repeated: false,
      deaths: 0,
      dueAt: null,
      deadlineAt: null,
    }));
  }

  node(key: string): NaiveNode {
    const node = this.nodes.find(({ plan }) => plan.key === key);
    if (!node) throw new Error(`no node ${key}`);
    return node;
  }

  activate(): Answer {
    if (this.activated || this.state !== "PENDING") return "refused";
    this.activated = true;
    return this.#done();
  }

  take(key: string, token?: number): Answer {
    const node = this.node(key);
    if (node.state !== "QUEUED" || this.paused || (token !== undefined && token !== node.token + 1)) return "superseded";
    node.charged += 1;
    node.deadlineAt ??= this.now + node.plan.deadlineMs;
    this.#begin(node);
    return this.#done();
  }

  succeeded(key: string, token: number): Answer {
    const node = this.#holder(key, token);
    if (!node || node.plan.type === "wait") return "superseded";
    this.#succeed(node);
    return this.#done();
  }

  failed(key: string, token: number, { how, retryable, jitter, inner = 0 }: FailedEnd): Answer {
    const node = this.#holder(key, token);
    if (!node || node.plan.type === "wait") return "superseded";
    const { retries, delaysMs, jitter: band } = node.plan;
    const delay = (delaysMs[Math.min(Math.max(1, node.charged), delaysMs.length) - 1] ?? 0) * (1 + band[0] + (band[1] - band[0]) * jitter);
    const due = this.now + Math.round(delay);
    node.charged += inner;
    if (how === "died") node.deaths += 1;
    const again = retryable && node.charged <= retries && (how !== "died" || node.deaths < MAX_DEATHS);
    const inTime = node.deadlineAt === null || due < node.deadlineAt;
    this.failures += 1;
    if (how !== "failed") node.repeated = true;
    this.#end(node, how === "timedOut" ? "timed_out" : "failed");
    if (again && inTime) {
      node.state = "RETRYING";
      node.dueAt = due;
    } else if (how === "died") node.state = "MANUAL_REVIEW";
    else this.#fail(node, how === "timedOut" || again ? "TIMEOUT" : "FAILED");
    return this.#done();
  }

  handedBack(key: string, token: number, begun: boolean): Answer {
    const node = this.#holder(key, token);
    if (!node || node.plan.type === "wait") return "superseded";
    this.#end(node, "handed_back");
    node.state = "QUEUED";
    node.charged -= 1;
    node.token += 1;
    node.repeated ||= begun;
    return this.#done();
  }

  lost(key: string, token: number): Answer {
    const node = this.#holder(key, token);
    if (!node || node.plan.type === "wait") return "superseded";
    node.deaths += 1;
    const again = node.charged <= node.plan.retries && node.deaths < MAX_DEATHS && (node.deadlineAt === null || this.now < node.deadlineAt);
    this.failures += 1;
    this.#end(node, "lost");
    node.state = again ? "QUEUED" : "MANUAL_REVIEW";
    node.token += 1;
    node.repeated = true;
    return this.#done();
  }

  /** The time of a wait, or of a retry, is there. */
  due(key: string): Answer {
    const node = this.node(key);
    if (node.dueAt === null || node.dueAt > this.now) return "superseded";
    if (node.plan.type === "wait") this.#succeed(node);
    else node.state = "QUEUED";
    node.dueAt = null;
    return this.#done();
  }

  deadlinePassed(key: string): Answer {
    const node = this.node(key);
    const runs = node.state === "RUNNING";
    const can = runs || (!this.paused && (node.state === "QUEUED" || node.state === "RETRYING"));
    if (!can || node.deadlineAt === null || node.deadlineAt > this.now) return "superseded";
    this.failures += 1;
    if (runs) this.#takeAway(node, "timed_out");
    this.#fail(node, "TIMEOUT");
    return this.#done();
  }

  cancelRun(): Answer {
    if (OVER.includes(this.state)) return "refused";
    this.cancelWanted = true;
    this.#cancelAll();
    return this.#done();
  }

  cancelNode(key: string): Answer {
    const node = this.node(key);
    if (ENDED.includes(node.state)) return "refused";
    this.#cancel(node);
    return this.#done();
  }

  reviewNode(key: string): Answer {
    const node = this.node(key);
    if (!["QUEUED", "RUNNING", "RETRYING", "FAILED", "TIMEOUT"].includes(node.state)) return "refused";
    if (node.state === "RUNNING") this.#takeAway(node, "canceled");
    if (ENDED.includes(node.state)) this.#renew(node);
    node.state = "MANUAL_REVIEW";
    node.dueAt = null;
    return this.#done();
  }

  pause(): Answer {
    if (OVER.includes(this.state) || this.paused) return "refused";
    this.paused = true;
    return this.#done();
  }

  resume(): Answer {
    if (!this.paused) return "refused";
    this.paused = false;
    for (const node of this.nodes) if (node.state === "QUEUED" || node.state === "RETRYING") node.deadlineAt = null;
    return this.#done();
  }

  skip(key: string): Answer {
    const node = this.node(key);
    if (["RUNNING", "SUCCESS", "SKIPPED"].includes(node.state)) return "refused";
    this.#leave(node);
    node.state = "SKIPPED";
    node.skip = "person";
    node.dueAt = null;
    return this.#goOn(key);
  }

  markSuccess(key: string): Answer {
    const node = this.node(key);
    if (!["MANUAL_REVIEW", "FAILED", "TIMEOUT", "CANCELED"].includes(node.state)) return "refused";
    this.#leave(node);
    this.#succeed(node);
    return this.#goOn(key);
  }

  retry(key: string): Answer {
    const node = this.node(key);
    if (!["RETRYING", "MANUAL_REVIEW", "FAILED", "TIMEOUT", "CANCELED", "SKIPPED"].includes(node.state)) return "refused";
    if (node.state === "SKIPPED" && this.#mustSkip(node)) return "refused";
    if (node.state === "RETRYING") {
      node.state = "QUEUED";
      node.dueAt = null;
    } else this.#reopen(node);
    return this.#goOn(key);
  }

  rerunFrom(key: string): Answer {
    const first = this.node(key);
    const below = this.#below(key);
    if (first.state === "PENDING" || [first, ...below].some(({ state }) => LIVE.includes(state))) return "refused";
    for (const node of [first, ...below]) {
      if (node.state === "PENDING" || (node !== first && node.skip === "person")) continue;
      if (node.state === "SUCCESS") {
        node.execution = `${key}-${++this.#made}-${node.plan.key}`;
        node.repeated = false;
      }
      this.#reopen(node);
    }
    this.#revive();
    return this.#done();
  }

  #holder(key: string, token: number): NaiveNode | null {
    const node = this.node(key);
    return node.state === "RUNNING" && node.token === token ? node : null;
  }

  #begin(node: NaiveNode): void {
    node.state = "RUNNING";
    node.token += 1;
    node.attempt += 1;
    const { generation, attempt, token, execution } = node;
    this.attempts.push({ key: node.plan.key, generation, no: attempt, token, execution, outcome: null });
  }

  #end(node: NaiveNode, outcome: AttemptOutcome): void {
    const open = this.attempts.find((each) => each.key === node.plan.key && each.outcome === null);
    if (open) open.outcome = outcome;
  }

  #takeAway(node: NaiveNode, outcome: AttemptOutcome): void {
    this.#end(node, outcome);
    if (node.plan.type === "wait") return;
    node.token += 1;
    node.repeated = true;
  }

  #succeed(node: NaiveNode): void {
    this.#end(node, "succeeded");
    node.state = "SUCCESS";
    this.completed.push(node.execution);
  }

  #fail(node: NaiveNode, state: "FAILED" | "TIMEOUT"): void {
    node.state = state;
    node.dueAt = null;
    this.#failedNow = true;
  }

  #cancel(node: NaiveNode): void {
    if (node.state === "RUNNING") this.#takeAway(node, "canceled");
    this.#leave(node);
    node.state = "CANCELED";
    node.dueAt = null;
  }

  #cancelAll(): void {
    for (const node of this.nodes) if (!ENDED.includes(node.state)) this.#cancel(node);
  }

  /** What had ended, or waited for a person, begins anew. */
  #leave(node: NaiveNode): void {
    if (ENDED.includes(node.state) || node.state === "MANUAL_REVIEW") this.#renew(node);
  }

  #renew(node: NaiveNode): void {
    node.generation += 1;
    node.attempt = 0;
    node.charged = 0;
    node.deaths = 0;
    node.skip = null;
    node.dueAt = null;
    node.deadlineAt = null;
  }

  #reopen(node: NaiveNode): void {
    this.#leave(node);
    node.state = "PENDING";
  }

  #below(key: string): NaiveNode[] {
    const found = new Set([key]);
    for (let size = 0; size !== found.size; ) {
      size = found.size;
      for (const { plan } of this.nodes) if (plan.needs.some((need) => found.has(need))) found.add(plan.key);
    }
    return this.nodes.filter(({ plan }) => plan.key !== key && found.has(plan.key));
  }

  #goOn(key: string): Answer {
    this.#revive();
    for (const node of this.#below(key)) if (node.state === "CANCELED" || node.skip === "upstream") this.#reopen(node);
    return this.#done();
  }

  #revive(): void {
    this.cancelWanted = false;
    if (OVER.includes(this.state)) this.paused = false;
  }

  #verdict(node: NaiveNode) {
    return naiveJoin(
      node.plan.join,
      node.plan.needs.map((need) => this.node(need)),
    );
  }

  #mustSkip(node: NaiveNode): boolean {
    const verdict = this.#verdict(node);
    return verdict === "skip" || (verdict === "never" && this.plan.onFailure !== "pause");
  }

  #done(): Answer {
    if (this.#failedNow && this.plan.onFailure === "fail") this.#cancelAll();
    this.#failedNow = false;
    while (this.activated && this.nodes.some((node) => node.state === "PENDING" && this.#advance(node)));
    this.state = this.#stateNow();
    return "applied";
  }

  #advance(node: NaiveNode): boolean {
    if (this.#mustSkip(node)) {
      node.state = "SKIPPED";
      node.skip = "upstream";
      return true;
    }
    if (this.#verdict(node) !== "start" || (node.plan.type === "wait" && this.paused)) return false;
    if (node.plan.type === "wait") {
      this.#begin(node);
      node.dueAt = this.now + (node.plan.waitMs ?? 0);
    } else node.state = "QUEUED";
    return true;
  }

  #stateNow(): RunState {
    const states = this.nodes.map(({ state }) => state);
    const ended = states.every((state) => ENDED.includes(state));
    if (ended && this.cancelWanted) return "CANCELED";
    if (!this.activated) return this.paused ? "PAUSED" : "PENDING";
    if (states.every((state) => state === "SUCCESS" || state === "SKIPPED")) return "SUCCESS";
    if (!ended && this.paused) return "PAUSED";
    if (states.some((state) => LIVE.includes(state))) return "RUNNING";
    return ended && this.plan.onFailure !== "pause" ? "FAILED" : "PAUSED";
  }
}
