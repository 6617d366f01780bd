import type { JoinRule } from "../pipeline/definition";
import type { NodeFacts } from "./model";

/** What a successor sees of a parent. `parked` waits for a person and may still become anything. */
export const PARENT_OUTCOMES = ["open", "ok", "skipped", "failed", "canceled", "parked"] as const;
export type ParentOutcome = (typeof PARENT_OUTCOMES)[number];

/** `blocked` means that only a person can change it; `final` tells whether every parent has ended for good. */
export type JoinVerdict =
  | { readonly kind: "wait" }
  | { readonly kind: "ready" }
  | { readonly kind: "skip" }
  | { readonly kind: "blocked"; readonly final: boolean };

/** A person's skip satisfies a join; a skip by a branch or by what lies before is passed on. */
export function outcomeOf(parent: Pick<NodeFacts, "state" | "skipCause">): ParentOutcome {
  switch (parent.state) {
    case "PENDING":
    case "QUEUED":
    case "RUNNING":
    case "RETRYING":
    case "AWAITING_APPROVAL":
      return "open";
    case "SUCCESS":
      return "ok";
    case "SKIPPED":
      return parent.skipCause === "person" ? "ok" : "skipped";
    case "FAILED":
    case "TIMEOUT":
      return "failed";
    case "CANCELED":
      return "canceled";
    case "MANUAL_REVIEW":
      return "parked";
  }
}

/** Another node stands in for it. */
export const isDegraded = ({ state, skipCause }: Pick<NodeFacts, "state" | "skipCause">): boolean =>
  state === "SKIPPED" && skipCause === "degraded";

const READY: JoinVerdict = { kind: "ready" };
export const WAIT: JoinVerdict = { kind: "wait" };
const SKIP: JoinVerdict = { kind: "skip" };

/** Whether a node may start, by its rule and the ends of its parents. The whole truth table is a test. */
export function joinVerdict(rule: JoinRule, parents: readonly ParentOutcome[]): JoinVerdict {
  const has = (outcome: ParentOutcome) => parents.includes(outcome);
  if (parents.length === 0) return READY;
  if (rule === "one_success" && has("ok")) return READY;
  if (has("open")) return WAIT;
  const blocked: JoinVerdict = { kind: "blocked", final: !has("parked") };
  if (has("parked")) return blocked;
  const unhealthy = has("failed") || has("canceled");
  switch (rule) {
    case "all_done":
      return READY;
    case "all_success":
      if (has("skipped")) return SKIP;
      return unhealthy ? blocked : READY;
    case "none_failed":
      if (unhealthy) return blocked;
      return has("ok") ? READY : SKIP;
    case "one_success":
      return unhealthy ? blocked : SKIP;
  }
}
