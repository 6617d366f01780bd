import type { PlanNode, RunPlan } from "../../server/domain/run/model";
import type { AttemptOutcome, NodeState, RunState, SkipCause } from "../../server/domain/run/states";
import { naiveJoin } from "./naive-join";
import { isInVain, type NaiveRoute, naiveDelay } from "./naive-route";

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
  readonly code?: string;
  readonly route?: NaiveRoute | null;
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

  failed(key: string, token: number, { how, retryable, jitter, inner = 0, code = "", route = null }: FailedEnd): Answer {
    const node = this.#holder(key, token);
    if (!node || node.plan.type === "wait") return "superseded";
    const due = this.now + Math.round(naiveDelay(node, code, route, jitter));
    node.charged += inner;
    if (how === "died") node.deaths += 1;
    const isFinal = !retryable || route?.action === "fail" || (isInVain(code) && route?.action !== "retry");
    const again = !isFinal && node.charged <= node.plan.retries && (how !== "died" || node.deaths < MAX_DEATHS);
    const inTime = node.deadlineAt === null || due < node.deadlineAt;
    this.failures += 1;
    if (how !== "failed") node.repeated = true;
    this.#end(node, how === "timedOut" ? "timed_out" : "failed");
    if (route?.action === "pause") this.paused = true;
    if (route?.action === "review") node.state = "MANUAL_REVIEW";
    else if (route?.action === "degrade" && node.plan.fallback !== null) this.#degrade(node);
    else if (again && inTime) {
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

  lost(key: string, token: number, route: NaiveRoute | null = null): Answer {
    const node = this.#holder(key, token);
    if (!node || node.plan.type === "wait") return "superseded";
    node.deaths += 1;
    const again = node.charged <= node.plan.retries && node.deaths < MAX_DEATHS && (node.deadlineAt === null || this.now < node.deadlineAt);
    this.failures += 1;
    this.#end(node, "lost");
    const mayGoOn = again && route?.action !== "review" && route?.action !== "fail";
    node.token += 1;
    node.repeated = true;
    if (route?.action === "pause") this.paused = true;
    if (route?.action === "degrade" && node.plan.fallback !== null) this.#degrade(node);
    else node.state = mayGoOn ? "QUEUED" : "MANUAL_REVIEW";
    return this.#done();
  }

  /** It is skipped, and the node that stands by for it wakes, unless that has run already or a person has skipped it. */
  #degrade(node: NaiveNode): void {
    node.state = "SKIPPED";
    node.skip = "degraded";
    const standIn = this.#nearest(node);
    if (standIn?.state === "SKIPPED" && standIn.skip !== "person") this.#reopen(standIn);
  }

  /** What stands in for a node, whatever stands in for that being degraded too. */
  #nearest(node: NaiveNode): NaiveNode | null {
    const seen = [node.plan.key];
    let at = node;
    while (at.plan.fallback !== null && !seen.includes(at.plan.fallback)) {
      at = this.node(at.plan.fallback);
      if (at.skip !== "degraded") return at;
      seen.push(at.plan.key);
    }
    return null;
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

  /** It waits for a retry that will never come: none is left. Here each that waits has its time. */
  stuck(key: string): Answer {
    const node = this.node(key);
    const isOver = node.charged > node.plan.retries && node.dueAt !== null && node.dueAt <= this.now;
    if (node.state !== "RETRYING" || (node.dueAt !== null && !isOver)) return "superseded";
    node.state = "MANUAL_REVIEW";
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
    if (isStandby(node) || (node.state === "SKIPPED" && this.#mustSkip(node))) return "refused";
    if (node.state === "RETRYING") {
      node.state = "QUEUED";
      node.dueAt = null;
    } else this.#reopen(node);
    return this.#goOn(key);
  }

  rerunFrom(key: string): Answer {
    const first = this.node(key);
    const below = this.#below(key);
    if (first.state === "PENDING" || isStandby(first) || [first, ...below].some(({ state }) => LIVE.includes(state))) return "refused";
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
      const isOver = (need: string) => this.node(need).skip === "degraded" && this.#chain(need).some((each) => found.has(each));
      for (const { plan } of this.nodes) {
        if (plan.needs.some((need) => found.has(need) || isOver(need))) found.add(plan.key);
        const standIn = found.has(plan.key) ? plan.fallback : null;
        const isTaken = this.nodes.some((each) => each.plan.fallback === standIn && each.skip === "degraded" && !found.has(each.plan.key));
        if (standIn !== null && !isTaken) found.add(standIn);
      }
    }
    return this.nodes.filter(({ plan }) => plan.key !== key && found.has(plan.key));
  }

  /** All that would stand in for a node, one after the other. */
  #chain(key: string): string[] {
    const chain = [key];
    for (let at = this.node(key).plan.fallback; at !== null && !chain.includes(at); at = this.node(at).plan.fallback) chain.push(at);
    return chain.slice(1);
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
      node.plan.needs.map((need) => this.#seen(this.node(need), node)),
    );
  }

  /** A degraded parent is seen as what stands in for it; to that one its place is free. */
  #seen(parent: NaiveNode, by: NaiveNode): Pick<NaiveNode, "state" | "skip"> {
    if (parent.skip !== "degraded") return parent;
    const chain = this.#chain(parent.plan.key);
    const standIn = this.#nearest(parent);
    const mine = chain.indexOf(by.plan.key);
    const isMine = mine !== -1 && (standIn === null || mine <= chain.indexOf(standIn.plan.key));
    if (isMine) return { state: "SKIPPED", skip: "person" };
    return standIn ?? { state: "SKIPPED", skip: "branch" };
  }

  /** What stands by for others wakes only in the place of one that is degraded. */
  #standsBy(node: NaiveNode): boolean {
    const { key, standsInFor } = node.plan;
    return standsInFor.length > 0 && !this.nodes.some((each) => each.skip === "degraded" && each.plan.fallback === key);
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
    if (this.#standsBy(node)) {
      node.state = "SKIPPED";
      node.skip = "branch";
      return true;
    }
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

/** It stands by for another, and no press starts it. */
const isStandby = ({ plan, skip }: NaiveNode) => skip === "branch" && plan.standsInFor.length > 0;
