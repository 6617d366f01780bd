import { describe, expect, it } from "vitest";
import { type NaiveParent, type NaiveVerdict, naiveJoin } from "@/db/testing/naive-join";
import { bornNode, node, planFor } from "@/db/testing/plans";
import { FAILURE_POLICIES, type FailurePolicy, JOIN_RULES, type JoinRule } from "../pipeline/definition";
import { decide } from "./decide";
import { type JoinVerdict, joinVerdict, outcomeOf } from "./join";
import type { NodeFacts, RunFacts, RunPlan } from "./model";
import { NODE_STATES, SKIP_CAUSES } from "./states";

const NOW = new Date("2026-03-01T00:00:00Z");

/** Every end of a parent, and everything that is none. */
const PARENTS: readonly NaiveParent[] = NODE_STATES.flatMap((state): NaiveParent[] =>
  state === "SKIPPED" ? SKIP_CAUSES.map((skip) => ({ state, skip })) : [{ state, skip: null }],
);

/** All rows of parents of that length, order included. */
const rowsOf = (length: number): NaiveParent[][] =>
  length === 0 ? [[]] : rowsOf(length - 1).flatMap((row) => PARENTS.map((parent) => [...row, parent]));

const word = (verdict: JoinVerdict): NaiveVerdict => {
  switch (verdict.kind) {
    case "ready":
      return "start";
    case "blocked":
      return verdict.final ? "never" : "asked";
    case "wait":
    case "skip":
      return verdict.kind;
  }
};

const shown = (rule: JoinRule, row: readonly NaiveParent[]) =>
  `${rule}(${row.map(({ state, skip }) => (skip ? `${state} by ${skip}` : state)).join(", ")})`;

const OTHER: NodeFacts = { ...bornNode("other"), state: "RUNNING", token: 1, attemptNo: 1, attempts: 1 };

/** A child with so many parents, and a node beside them whose end makes the run take a step. */
const familyOf = (rule: JoinRule, onFailure: FailurePolicy, parents: number): RunPlan => {
  const keys = Array.from({ length: parents }, (_, index) => `p${index}`);
  return planFor([...keys.map((key) => node(key)), node("child", keys, { join: rule }), node("other")], { onFailure });
};

/** What becomes of a node with these parents when the run takes its next step. */
function stateAfter(plan: RunPlan, row: readonly NaiveParent[]): string {
  const parents = row.map(({ state, skip }, index): NodeFacts => ({ ...bornNode(`p${index}`), state, skipCause: skip }));
  const nodes = new Map([...parents, bornNode("child"), OTHER].map((each) => [each.key, each]));
  const run: RunFacts = { id: "run-1", state: "RUNNING", activated: true, cancelRequested: false, pausedByPerson: false, nodes };
  const decision = decide(plan, run, { kind: "succeeded", key: "other", token: 1 }, { now: NOW });
  return decision.kind === "applied" ? (decision.next.nodes.get("child")?.state ?? "gone") : decision.kind;
}

describe("the truth table of the join rules", () => {
  it.each(JOIN_RULES)(
    "%s over every row of one to three parents, in every state and with every cause of a skip, says what the manual says (B63, RUN-1)",
    (rule) => {
      const wrong: string[] = [];
      const rows = [0, 1, 2, 3].flatMap(rowsOf);
      expect(rows).toHaveLength(1 + 14 + 14 ** 2 + 14 ** 3);
      for (const row of rows) {
        const found = word(
          joinVerdict(
            rule,
            row.map(({ state, skip }) => outcomeOf({ state, skipCause: skip })),
          ),
        );
        const right = naiveJoin(rule, row);
        if (found !== right) wrong.push(`${shown(rule, row)} is ${found}, not ${right}`);
      }
      expect(wrong.slice(0, 10)).toEqual([]);
    },
  );

  it("moves the node in a run accordingly, under each failure policy (B62, B63, RUN-1, RUN-2)", () => {
    const wrong: string[] = [];
    const expected = (verdict: NaiveVerdict, pauses: boolean): string => {
      if (verdict === "start") return "QUEUED";
      return verdict === "skip" || (verdict === "never" && !pauses) ? "SKIPPED" : "PENDING";
    };
    for (const onFailure of FAILURE_POLICIES) {
      for (const rule of JOIN_RULES) {
        const families = [0, 1, 2].map((parents) => familyOf(rule, onFailure, parents));
        // Parents that have not begun would begin now, and so change the row.
        for (const row of [1, 2].flatMap(rowsOf).filter((parents) => parents.every(({ state }) => state !== "PENDING"))) {
          const family = families[row.length];
          const found = family ? stateAfter(family, row) : "no family";
          const right = expected(naiveJoin(rule, row), onFailure === "pause");
          if (found !== right) wrong.push(`${onFailure}: ${shown(rule, row)} leaves it ${found}, not ${right}`);
        }
      }
    }
    expect(wrong.slice(0, 10)).toEqual([]);
  });
});
