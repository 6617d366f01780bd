import { DomainError } from "@/server/domain/failure";

export const BREAKER_STATES = ["closed", "open", "probing", "held"] as const;
/** `probing`: its time out is over, and it stays out until its probes succeed. `held`: by a person, until a person lets go. */
export type BreakerState = (typeof BREAKER_STATES)[number];

export const OPEN_MS = 30 * 60_000;
export const PROBE_EVERY_MS = 5 * 60_000;
/** A probe that is not answered by then has failed. */
export const PROBE_ANSWER_MS = 60_000;
export const PROBES_TO_CLOSE = 3;

export interface Breaker {
  readonly state: BreakerState;
  readonly since: Date;
  /** Open: when its time out is over. */
  readonly until: Date | null;
  readonly nextProbeAt: Date | null;
  /** What the worker was asked and has not answered. */
  readonly probe: { readonly id: string; readonly askedAt: Date } | null;
  /** Probes that succeeded one after the other. */
  readonly successes: number;
  /** What ended until then is settled, and opens it no more. */
  readonly countFrom: Date;
}

export type BreakerEvent =
  | { readonly kind: "tripped" }
  /** A look at the clock. `probeId` is for a probe that is due; null while its worker is not there to be asked. */
  | { readonly kind: "timePassed"; readonly probeId: string | null }
  | { readonly kind: "probed"; readonly probeId: string; readonly ok: boolean }
  | { readonly kind: "holdRequested" }
  | { readonly kind: "releaseRequested" }
  | { readonly kind: "closeRequested" };

/** What has happened to it; each is an event that is kept. */
export const BREAKER_CHANGES = [
  "opened",
  "timeOver",
  "probeAsked",
  "probeSucceeded",
  "probeFailed",
  "restored",
  "held",
  "released",
  "closedByHand",
] as const;
export type BreakerChange = (typeof BREAKER_CHANGES)[number];

export interface BreakerStep {
  readonly next: Breaker;
  readonly changes: readonly BreakerChange[];
}

/** Whether its worker takes no new node. */
export const takesNone = (state: BreakerState): boolean => state !== "closed";

/** A worker that nothing is known of yet. */
export const closedBreaker = (at: Date, countFrom: Date = at): Breaker => ({
  ...{ state: "closed", since: at, until: null, nextProbeAt: null, probe: null, successes: 0, countFrom },
});

const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);
const isPast = (at: Date, when: Date | null): boolean => when !== null && when.getTime() <= at.getTime();

/** The one place that moves a breaker (EXC-6). What changes nothing answers with no change; what a person may not is refused. */
export function moveBreaker(breaker: Breaker, event: BreakerEvent, at: Date): BreakerStep {
  switch (event.kind) {
    case "tripped":
      return breaker.state === "closed" ? { next: opened(at), changes: ["opened"] } : same(breaker);
    case "timePassed":
      return breaker.state === "open" || breaker.state === "probing" ? passed(breaker, event.probeId, at) : same(breaker);
    case "probed":
      return breaker.probe?.id === event.probeId ? probed(breaker, event.ok, at) : same(breaker);
    case "holdRequested":
      if (breaker.state === "held") throw refused("it is held already: release it first");
      return { next: { ...closedBreaker(at), state: "held" }, changes: ["held"] };
    case "releaseRequested":
      if (breaker.state !== "held") throw refused(`it is not held: its breaker is ${breaker.state}`);
      return { next: closedBreaker(at), changes: ["released"] };
    case "closeRequested":
      if (breaker.state === "held") throw refused("it is held by a person: release it");
      if (breaker.state === "closed") throw refused("its breaker is closed already");
      return { next: closedBreaker(at), changes: ["closedByHand"] };
  }
}

const same = (next: Breaker): BreakerStep => ({ next, changes: [] });
const refused = (why: string) => new DomainError("illegal_transition", `the worker cannot be changed so: ${why}`);

const opened = (at: Date): Breaker => ({
  ...closedBreaker(at),
  state: "open",
  until: after(at, OPEN_MS),
  nextProbeAt: after(at, PROBE_EVERY_MS),
});

function passed(breaker: Breaker, probeId: string | null, at: Date): BreakerStep {
  let next = breaker;
  const changes: BreakerChange[] = [];
  if (next.probe && isPast(at, after(next.probe.askedAt, PROBE_ANSWER_MS))) {
    next = { ...next, probe: null, successes: 0 };
    changes.push("probeFailed");
  }
  if (next.state === "open" && isPast(at, next.until)) {
    next = { ...next, state: "probing", since: at, until: null };
    changes.push("timeOver");
  }
  if (probeId !== null && next.probe === null && isPast(at, next.nextProbeAt)) {
    next = { ...next, probe: { id: probeId, askedAt: at }, nextProbeAt: after(at, PROBE_EVERY_MS) };
    changes.push("probeAsked");
  }
  return { next, changes };
}

function probed(breaker: Breaker, ok: boolean, at: Date): BreakerStep {
  if (!ok) return { next: { ...breaker, probe: null, successes: 0 }, changes: ["probeFailed"] };
  const successes = breaker.successes + 1;
  if (successes >= PROBES_TO_CLOSE) return { next: closedBreaker(at), changes: ["probeSucceeded", "restored"] };
  return { next: { ...breaker, probe: null, successes }, changes: ["probeSucceeded"] };
}
