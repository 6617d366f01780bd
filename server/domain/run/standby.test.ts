import { describe, expect, it } from "vitest";
import { activeRun, node, planFor } from "@/db/testing/plans";
import { JOIN_RULES } from "../pipeline/definition";
import { previewOf } from "./preview";

const orders = () =>
  activeRun([
    node("pay", [], { fallback: "pay_later", compensate: "refund" }),
    node("pay_later"),
    node("refund", ["pay"]),
    node("ship", ["pay"]),
  ]);

describe("a node that another names as its fallback or its compensation", () => {
  it("never starts by itself, root or not: it is skipped as a branch not taken when the run begins (RUN-10, EXC-5)", () => {
    const run = orders();
    expect(run.states()).toEqual({ pay: "QUEUED", pay_later: "SKIPPED", refund: "SKIPPED", ship: "PENDING" });
    expect(["pay_later", "refund"].map((key) => run.node(key).skipCause)).toEqual(["branch", "branch"]);
    run.claim("pay").succeed("pay").claim("ship").succeed("ship");
    expect(run.facts.state).toBe("SUCCESS");
    expect(["pay_later", "refund"].map((key) => run.node(key).state)).toEqual(["SKIPPED", "SKIPPED"]);
  });

  it("counts as skipped in every join rule (RUN-1, RUN-10)", () => {
    const expected = { all_success: "SKIPPED", all_done: "QUEUED", one_success: "QUEUED", none_failed: "QUEUED" } as const;
    const alone = { all_success: "SKIPPED", all_done: "QUEUED", one_success: "SKIPPED", none_failed: "SKIPPED" } as const;
    for (const join of JOIN_RULES) {
      const run = activeRun([
        node("pay", [], { fallback: "pay_later" }),
        node("pay_later"),
        node("both", ["pay", "pay_later"], { join }),
        node("after", ["pay_later"], { join }),
      ]);
      run.claim("pay").succeed("pay");
      expect([join, run.node("both").state, run.node("after").state]).toEqual([join, expected[join], alone[join]]);
    }
  });

  it("is not started by a retry or a rerun either, and stands by again when what is before it runs again (RUN-3, RUN-10)", () => {
    const run = orders();
    run.claim("pay").succeed("pay").claim("ship").succeed("ship");
    for (const action of ["retry", "rerun-from"] as const) {
      const preview = previewOf(run.plan, run.facts, "refund", action, run.now);
      expect(preview).toMatchObject({ kind: "refused", reason: expect.stringContaining("stands by for pay") });
    }
    run.tell({
      kind: "rerunFrom",
      key: "pay",
      executionIds: new Map([
        ["pay", "x-2"],
        ["ship", "x-3"],
      ]),
    });
    expect(run.states()).toEqual({ pay: "QUEUED", pay_later: "SKIPPED", refund: "SKIPPED", ship: "PENDING" });
  });

  it("is known to the plan by the nodes that name it (RUN-10)", () => {
    const plan = planFor([node("a", [], { fallback: "z" }), node("b", [], { compensate: "z" }), node("z")]);
    expect(plan.byKey.get("z")?.standsInFor).toEqual(["a", "b"]);
    expect(plan.byKey.get("a")?.standsInFor).toEqual([]);
  });
});
