import type { JoinRule } from "../../server/domain/pipeline/definition";
import type { NodeState, SkipCause } from "../../server/domain/run/states";

export interface NaiveParent {
  readonly state: NodeState;
  readonly skip: SkipCause | null;
}

/** `asked`: a person has to say what becomes of a parent. `never`: only a person can bring it about any more. */
export type NaiveVerdict = "wait" | "start" | "skip" | "asked" | "never";

const WORKS: readonly NodeState[] = ["PENDING", "QUEUED", "RUNNING", "RETRYING", "AWAITING_APPROVAL"];

/** The four join rules in the words of the manual, one sentence a line; the rule under test is written in another way. */
export function naiveJoin(rule: JoinRule, parents: readonly NaiveParent[]): NaiveVerdict {
  const succeeded = parents.filter(({ state, skip }) => state === "SUCCESS" || (state === "SKIPPED" && skip === "person"));
  const passedOver = parents.filter(({ state, skip }) => state === "SKIPPED" && skip !== "person");
  const broken = parents.filter(({ state }) => state === "FAILED" || state === "TIMEOUT" || state === "CANCELED");
  const working = parents.filter(({ state }) => WORKS.includes(state));
  const inReview = parents.filter(({ state }) => state === "MANUAL_REVIEW");
  const ended = working.length === 0 && inReview.length === 0;

  const starts = {
    all_success: succeeded.length === parents.length,
    all_done: ended,
    one_success: parents.length === 0 || succeeded.length > 0,
    none_failed: parents.length === 0 || (ended && broken.length === 0 && succeeded.length > 0),
  }[rule];
  if (starts) return "start";
  if (working.length > 0) return "wait";
  if (inReview.length > 0) return "asked";
  // All have ended and the rule does not hold: a skip passes on what was passed over, a failure waits for a person.
  const skips = rule === "all_success" ? passedOver.length > 0 : passedOver.length === parents.length;
  return skips ? "skip" : "never";
}
