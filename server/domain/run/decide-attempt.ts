import { MAX_DEATHS, retriesLeft } from "../retry/budget";
import { delaysFor, isFinalCode } from "../retry/by-code";
import { retryDelayMs } from "../retry/delay";
import type { Route } from "../routing/route";
import { takenFromWorker } from "./cancel";
import { type Draft, type Move, move, type Outcome } from "./draft";
import type { AttemptFailure, NodeFacts, PlanNode, RunEvent } from "./model";
import { degrade, routeCause, sendToReview } from "./route-failure";

type Of<Kind extends RunEvent["kind"]> = Extract<RunEvent, { kind: Kind }>;
type AttemptEvent = Of<
  | "claimed"
  | "handedOn"
  | "succeeded"
  | "attemptFailed"
  | "attemptTimedOut"
  | "deadlinePassed"
  | "workerLost"
  | "handedBack"
  | "waitElapsed"
  | "retryDue"
  | "retryStuck"
>;

/** What workers and sweepers tell. Nothing here is refused: what does not fit came late or twice, and is superseded. */
export function decideAttempt(draft: Draft, event: AttemptEvent): Outcome {
  const node = draft.nodes.get(event.key);
  const planned = draft.plan.byKey.get(event.key);
  if (!node || !planned) return superseded(event.key, "the run has no such node");
  if (planned.type === "wait" && !OF_WAITS.has(event.kind)) return superseded(event.key, "no worker has a wait");
  switch (event.kind) {
    case "claimed":
      if (event.token !== node.token + 1) return superseded(event.key, "another claim came first");
      return take(draft, event.key, "claimed");
    case "handedOn":
      return take(draft, event.key, "handedOn");
    case "succeeded":
      return step(draft, event.key, { event: "succeeded", cause: "the attempt succeeded", guards: freshness(node, event.token) });
    case "attemptFailed":
    case "attemptTimedOut":
      return attemptEnded(draft, planned, node, event);
    case "deadlinePassed":
      return deadlinePassed(draft, node, event);
    case "workerLost":
      return workerLost(draft, planned, node, event);
    case "handedBack":
      return step(draft, event.key, {
        event: "handedBack",
        cause: "its worker gave it back",
        guards: freshness(node, event.token),
        patch: {
          attempts: Math.max(0, node.attempts - 1),
          token: node.token + 1,
          maybeRepeated: node.maybeRepeated || event.begun,
        },
      });
    case "waitElapsed":
      if (planned.type !== "wait" || !isDue(draft, node)) return superseded(event.key, "no wait of it is over");
      return step(draft, event.key, { event: "succeeded", cause: "the wait is over" });
    case "retryDue":
      if (!isDue(draft, node)) return superseded(event.key, "no retry of it is due");
      return step(draft, event.key, { event: "retryDue", cause: `retry ${node.attempts} of ${planned.retries} is due` });
    case "retryStuck":
      return retryStuck(draft, planned, node);
  }
}

/** What can happen to a wait: its time, and an end that names no instant. */
const OF_WAITS: ReadonlySet<RunEvent["kind"]> = new Set(["waitElapsed", "attemptFailed"]);

const superseded = (key: string, reason: string): Outcome => ({ kind: "superseded", key, reason });
const freshness = (node: NodeFacts, token: number) => ({ freshToken: node.token === token });
const isDue = (draft: Draft, node: NodeFacts) => node.dueAt !== null && node.dueAt <= draft.now;

function step(draft: Draft, key: string, wanted: Move): Outcome {
  const verdict = move(draft, key, wanted);
  if (verdict.kind === "moved") return { kind: "done", cause: wanted.cause };
  const why = verdict.kind === "superseded" ? "its token is spent" : "it has moved on";
  return superseded(key, `${wanted.event} came when the node was ${verdict.from}: ${why}`);
}

function take(draft: Draft, key: string, event: "claimed" | "handedOn"): Outcome {
  if (draft.pausedByPerson) return superseded(key, "a pause holds it");
  return step(draft, key, { event, cause: event === "claimed" ? "a worker took it" : "its worker went on with it" });
}

/** A failed attempt goes to its next retry, if the budget has one and it can still begin before the total deadline (B73). */
function attemptEnded(draft: Draft, planned: PlanNode, node: NodeFacts, event: Of<"attemptFailed" | "attemptTimedOut">): Outcome {
  const { failure, key, route = null, codeDelays: ofCode = null } = event;
  const delays = delaysFor(failure.code, planned, { ofRule: route?.action === "retry" ? route.delays : null, ofCode });
  const delayMs = retryDelayMs(delays, Math.max(1, node.attempts), event.jitter);
  // A service that says when to come back is obeyed.
  const dueAt = new Date(draft.now.getTime() + Math.max(delayMs, failure.retryAfterMs ?? 0));
  const attempts = node.attempts + (failure.innerRetries ?? 0);
  const mayRetry = isRepeatable(failure, route) && planned.type !== "wait";
  const retries = mayRetry ? retriesLeft(planned, attempts) : 0;
  const budgetLeft = retries > 0 && !isTooOften(failure.deaths);
  const deadlineAhead = node.deadlineAt === null || dueAt < node.deadlineAt;
  const guards = { ...freshness(node, event.token), budgetLeft, deadlineAhead };
  const died = failure.deaths !== undefined;
  const isUnknown = event.kind === "attemptTimedOut" || died || failure.fateUnknown === true;
  const unknown = isUnknown ? { attempts, maybeRepeated: true } : { attempts };
  const isCurrent = node.state === "RUNNING" && guards.freshToken;
  if (isCurrent && route) {
    const routed = { route, failure, guards, patch: unknown, outcome: event.kind === "attemptFailed" ? "failed" : "timed_out" } as const;
    if (route.action === "review") return step(draft, key, sendToReview(routed));
    if (route.action === "degrade" && planned.fallback !== null) return degrade(draft, planned, routed);
    if (route.action === "pause") draft.pausedByPerson = true;
  }
  if (isCurrent && budgetLeft && !deadlineAhead && !died) {
    const outcome = event.kind === "attemptFailed" ? "failed" : "timed_out";
    return step(draft, key, { event: "deadlinePassed", cause: TOTAL_DEADLINE, guards, failure, outcome, route, patch: unknown });
  }
  const goesOn = budgetLeft && deadlineAhead;
  const usual = goesOn ? `retry ${node.attempts} of ${planned.retries}` : endOf(failure, budgetLeft, mayRetry);
  const cause = route ? routeCause(route, usual) : usual;
  return step(draft, key, {
    event: died ? "attemptDied" : event.kind,
    cause,
    guards,
    failure,
    route,
    patch: goesOn ? { ...unknown, dueAt } : unknown,
  });
}

/**
 * What the task itself calls final is never tried again. By default neither is what its code or the number of its answer calls
 * invalid; a rule that names the code knows better than both, since rules stand above all else (RTY-2).
 */
function isRepeatable({ retryable, finalBy, code }: AttemptFailure, route: Route | null): boolean {
  if (route?.action === "fail") return false;
  if (route?.action === "retry") return retryable || finalBy === "number";
  return retryable && !isFinalCode(code);
}

function endOf(failure: AttemptFailure, budgetLeft: boolean, mayRetry: boolean): string {
  if (budgetLeft) return TOTAL_DEADLINE;
  if (isTooOften(failure.deaths)) return tooOften(failure.deaths);
  return mayRetry ? "its retries are used up" : `${failure.code} is not retried`;
}

/** What takes what runs it along again and again must not go round for ever (P19). */
const isTooOften = (deaths: number | undefined): deaths is number => deaths !== undefined && deaths >= MAX_DEATHS;
const tooOften = (deaths: number) => `${deaths} of its attempts died or lost their worker; it may be what kills them`;

const TOTAL_DEADLINE = "total deadline";
const LOST = "its worker was lost, and how far it came is unknown";

function deadlinePassed(draft: Draft, node: NodeFacts, event: Of<"deadlinePassed">): Outcome {
  if (node.deadlineAt === null || node.deadlineAt > draft.now) return superseded(event.key, "its total deadline has not passed");
  if (draft.pausedByPerson && node.state !== "RUNNING") return superseded(event.key, "a pause holds it");
  const { failure } = event;
  return step(draft, event.key, { event: "deadlinePassed", cause: TOTAL_DEADLINE, failure, patch: takenFromWorker(draft, event.key) });
}

/** A lost worker's attempt counts in the same budget as any other, since nobody knows how far it came. */
function workerLost(draft: Draft, planned: PlanNode, node: NodeFacts, event: Of<"workerLost">): Outcome {
  const { failure, route = null } = event;
  const { deaths } = failure;
  const patch = { token: node.token + 1, maybeRepeated: true };
  const isCurrent = node.state === "RUNNING" && node.token === event.token;
  if (isCurrent && route?.action === "degrade" && planned.fallback !== null) {
    return degrade(draft, planned, { route, failure, patch, guards: freshness(node, event.token), outcome: "lost" });
  }
  if (isCurrent && route?.action === "pause") draft.pausedByPerson = true;
  const staysHere = route?.action === "fail" || route?.action === "review";
  const budgetLeft = retriesLeft(planned, node.attempts) > 0 && !isTooOften(deaths) && !staysHere;
  const deadlineAhead = node.deadlineAt === null || draft.now < node.deadlineAt;
  const end = isTooOften(deaths) ? tooOften(deaths) : "its worker was lost, and no attempt is left";
  const usual = budgetLeft && deadlineAhead ? "its worker was lost; it goes to another" : staysHere ? LOST : end;
  return step(draft, event.key, {
    event: "workerLost",
    cause: route ? routeCause(route, usual) : usual,
    guards: { ...freshness(node, event.token), budgetLeft, deadlineAhead },
    failure,
    route,
    patch,
  });
}

/** A retry that nobody will give: none is left, or it has no time at which it would come. Who asks has seen it stand still. */
function retryStuck(draft: Draft, planned: PlanNode, node: NodeFacts): Outcome {
  const isUsedUp = retriesLeft(planned, node.attempts) === 0;
  if (node.state !== "RETRYING" || (node.dueAt !== null && !(isUsedUp && isDue(draft, node)))) {
    return superseded(node.key, "a retry of it is still to come");
  }
  const why = isUsedUp ? "its retries are used up" : "no time is set for its retry";
  return step(draft, node.key, { event: "stuck", cause: `it waits for a retry and does not move: ${why}` });
}
