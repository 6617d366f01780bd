import { describe, expect, it } from "vitest";
import { definitionOf, node, planFor, waitNode } from "@/db/testing/plans";
import { descendantsIn, planOf } from "./plan";

describe("the plan of a version", () => {
  it("has its nodes in topological order with successors, whatever order they were written in (PIP-1)", () => {
    const plan = planFor([node("c", ["b"]), node("a"), node("b", ["a"]), node("x")]);
    expect(plan.nodes.map(({ key }) => key)).toEqual(["a", "x", "b", "c"]);
    expect(plan.successors.get("a")).toEqual(["b"]);
    expect(descendantsIn(plan, "a", new Map()).map(({ key }) => key)).toEqual(["b", "c"]);
  });

  it("reads limits, retries and waits as numbers (RTY-1)", () => {
    const retry = { retries: 2, delays: ["2500ms", "2m"], jitter: [0.1, 0.2] as [number, number] };
    const plan = planFor([
      node("a", [], { timeout: "10s", deadline: "1h30m", retry }),
      node("n", [], { retry: { policy: "none" } }),
      node("d"),
    ]);
    expect(plan.byKey.get("a")).toMatchObject({
      timeoutMs: 10_000,
      deadlineMs: 5_400_000,
      retries: 2,
      delaysMs: [2_500, 120_000],
      jitter: [0.1, 0.2],
    });
    expect(plan.byKey.get("n")).toMatchObject({ retries: 0 });
    expect(plan.byKey.get("d")).toMatchObject({ retries: 3, delaysMs: [2_500, 120_000, 240_000], jitter: [0.3, 0.7] });
    const waits = planFor([waitNode("w", [], { for: "90s" }), waitNode("u", [], { until: "2026-03-01T06:00:00+08:00" })]);
    expect([waits.byKey.get("w")?.waitMs, waits.byKey.get("u")?.waitUntil]).toEqual([90_000, "2026-03-01T06:00:00+08:00"]);
  });

  it("knows whose outputs a node reads: what it needs, and what its templates name further back (RUN-8)", () => {
    const plan = planFor([
      node("a"),
      node("b", ["a"]),
      node("c", ["b"], { with: { task: "t.t", input: { deep: ["{{ nodes.a.output.rows + 1 }}"] } } }),
    ]);
    expect(plan.byKey.get("c")?.inputsFrom).toEqual(["b", "a"]);
    expect(plan.byKey.get("b")?.inputsFrom).toEqual(["a"]);
    expect(["b", "c"].map((key) => plan.byKey.get(key)?.reads)).toEqual([[], ["a"]]);
  });

  it("refuses a cycle, which validation should have refused before (PIP-2)", () => {
    expect(() => planOf("v", definitionOf([node("a", ["b"]), node("b", ["a"])]))).toThrow(/cycle/);
  });
});
