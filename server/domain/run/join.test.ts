import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JOIN_RULES, type JoinRule } from "../pipeline/definition";
import { type JoinVerdict, joinVerdict, outcomeOf, PARENT_OUTCOMES, type ParentOutcome } from "./join";
import { NODE_STATES, type NodeState, SKIP_CAUSES } from "./states";

/** `blocked` waits for a person for ever; `parked` waits for one who has been asked already. */
const word = (verdict: JoinVerdict): string => (verdict.kind !== "blocked" ? verdict.kind : verdict.final ? "blocked" : "parked");

/** Every set of one or two outcomes, written out: the verdict of all_success, all_done, one_success, none_failed. */
const TABLE = `
open               wait     wait     wait     wait
ok                 ready    ready    ready    ready
skipped            skip     ready    skip     skip
failed             blocked  ready    blocked  blocked
canceled           blocked  ready    blocked  blocked
parked             parked   parked   parked   parked
open,ok            wait     wait     ready    wait
open,skipped       wait     wait     wait     wait
open,failed        wait     wait     wait     wait
open,canceled      wait     wait     wait     wait
open,parked        wait     wait     wait     wait
ok,skipped         skip     ready    ready    ready
ok,failed          blocked  ready    ready    blocked
ok,canceled        blocked  ready    ready    blocked
ok,parked          parked   parked   ready    parked
skipped,failed     skip     ready    blocked  blocked
skipped,canceled   skip     ready    blocked  blocked
skipped,parked     parked   parked   parked   parked
failed,canceled    blocked  ready    blocked  blocked
failed,parked      parked   parked   parked   parked
canceled,parked    parked   parked   parked   parked
`;
const COLUMNS: readonly JoinRule[] = ["all_success", "all_done", "one_success", "none_failed"];

const rows = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [outcomes = "", ...verdicts] = line.split(/\s+/);
    return { outcomes: outcomes.split(",") as ParentOutcome[], verdicts };
  });

describe("join rules", () => {
  it("have the whole truth table of every rule over every pair of parents' ends (B63, RUN-1)", () => {
    expect(rows.length).toBe(PARENT_OUTCOMES.length + (PARENT_OUTCOMES.length * (PARENT_OUTCOMES.length - 1)) / 2);
    for (const { outcomes, verdicts } of rows) {
      const found = COLUMNS.map((rule) => word(joinVerdict(rule, outcomes)));
      expect({ outcomes, verdicts: found }).toEqual({ outcomes, verdicts });
    }
  });

  it("depend on which ends there are, not on their number or order (RUN-1)", () => {
    const outcome = fc.constantFrom(...PARENT_OUTCOMES);
    fc.assert(
      fc.property(fc.constantFrom(...JOIN_RULES), fc.array(outcome, { minLength: 1, maxLength: 8 }), fc.nat(), (rule, outcomes, seed) => {
        const repeated = outcomes.flatMap((each, index) => ((seed >> index) % 2 === 0 ? [each] : [each, each])).reverse();
        expect(joinVerdict(rule, repeated)).toEqual(joinVerdict(rule, outcomes));
      }),
    );
  });

  it("never skip while a parent has not ended for good (B62)", () => {
    const outcome = fc.constantFrom(...PARENT_OUTCOMES);
    fc.assert(
      fc.property(fc.constantFrom(...JOIN_RULES), fc.array(outcome, { minLength: 1, maxLength: 6 }), (rule, outcomes) => {
        const verdict = joinVerdict(rule, outcomes);
        if (verdict.kind === "skip") expect(outcomes.some((each) => each === "open" || each === "parked")).toBe(false);
        if (verdict.kind === "blocked") expect(outcomes).not.toContain("open");
      }),
    );
  });

  it("let a node without parents start under every rule (RUN-1)", () => {
    for (const rule of JOIN_RULES) expect(joinVerdict(rule, [])).toEqual({ kind: "ready" });
  });

  it("keep the join waiting while the chosen branch still works (B62)", () => {
    for (const rule of ["none_failed", "all_success", "all_done"] as const)
      expect(joinVerdict(rule, ["open", "skipped"]).kind).toBe("wait");
    expect(joinVerdict("none_failed", ["ok", "skipped"]).kind).toBe("ready");
  });

  it("count the edge that was not taken as skipped, whatever its source did (B63)", () => {
    // branch1 has succeeded but did not choose this edge; dummy was skipped by branch2.
    const notTaken: ParentOutcome = "skipped";
    const dummy = outcomeOf({ state: "SKIPPED", skipCause: "branch" });
    for (const rule of ["all_success", "none_failed", "one_success"] as const)
      expect(joinVerdict(rule, [notTaken, dummy]).kind).toBe("skip");
  });

  it("see a person's skip as satisfied and pass any other on (RUN-3)", () => {
    const seen = SKIP_CAUSES.map((skipCause) => [skipCause, outcomeOf({ state: "SKIPPED", skipCause })]);
    expect(Object.fromEntries(seen)).toEqual({ person: "ok", branch: "skipped", upstream: "skipped", degraded: "skipped" });
  });

  it("know the outcome of every node state (RUN-1)", () => {
    const expected: Record<NodeState, ParentOutcome> = {
      PENDING: "open",
      QUEUED: "open",
      RUNNING: "open",
      RETRYING: "open",
      AWAITING_APPROVAL: "open",
      MANUAL_REVIEW: "parked",
      SUCCESS: "ok",
      FAILED: "failed",
      TIMEOUT: "failed",
      CANCELED: "canceled",
      SKIPPED: "skipped",
    };
    for (const state of NODE_STATES) expect(outcomeOf({ state, skipCause: null })).toBe(expected[state]);
  });
});
