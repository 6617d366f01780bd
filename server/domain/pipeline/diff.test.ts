import { describe, expect, test } from "vitest";
import type { PipelineDefinition } from "./definition";
import { diffDefinitions, isEmptyDiff } from "./diff";
import { parseDefinition } from "./parse-definition";

function definition(nodes: object[], spec: object = {}): PipelineDefinition {
  const parsed = parseDefinition({
    apiVersion: "apollo11/v1",
    kind: "Pipeline",
    metadata: { name: "orders", title: "Orders", owner: "data" },
    spec: { domain: "ORDER", nodes, ...spec },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.definition;
}
const node = (key: string, more: object = {}) => ({ key, type: "http", with: { url: "http://a.b" }, ...more });
const nightly = { name: "nightly", cron: "0 2 * * *", timezone: "UTC" };

describe("diffDefinitions", () => {
  test("finds nothing between a definition and itself (PIP-1)", () => {
    const one = definition([node("a"), node("b", { needs: ["a"] })], { schedules: [nightly] });
    expect(isEmptyDiff(diffDefinitions(one, structuredClone(one)))).toBe(true);
  });

  test("names nodes that came, went and changed, with the fields (PIP-1)", () => {
    const before = definition([node("a"), node("b", { needs: ["a"], with: { url: "http://a.b", headers: { x: "1" } } })]);
    const after = definition([node("c"), node("b", { needs: ["c"], with: { url: "http://a.b", headers: { y: "1" } } })]);
    expect(diffDefinitions(before, after)).toEqual({
      added: ["c"],
      removed: ["a"],
      changed: [
        {
          key: "b",
          fields: [
            { path: "needs", before: ["a"], after: ["c"] },
            { path: "with.headers.x", before: "1", after: undefined },
            { path: "with.headers.y", before: undefined, after: "1" },
          ],
        },
      ],
      reordered: false,
      settings: [],
    });
  });

  test("schedules and parameters are told apart by their names, not by their places (PIP-1)", () => {
    const before = definition([node("a")], { schedules: [{ ...nightly, name: "noon", cron: "0 12 * * *" }, nightly] });
    const after = definition([node("a")], { schedules: [{ ...nightly, cron: "0 3 * * *" }], params: { day: { type: "date" } } });
    expect(diffDefinitions(before, after).settings).toEqual([
      { path: "spec.params.day", before: undefined, after: { type: "date" } },
      { path: "spec.schedules.noon", before: expect.objectContaining({ cron: "0 12 * * *" }), after: undefined },
      { path: "spec.schedules.nightly.cron", before: "0 2 * * *", after: "0 3 * * *" },
    ]);
  });

  test("another order of the same nodes is a change too (PIP-1)", () => {
    const diff = diffDefinitions(definition([node("a"), node("b")]), definition([node("b"), node("a")]));
    expect(diff).toMatchObject({ added: [], removed: [], changed: [], reordered: true });
    expect(isEmptyDiff(diff)).toBe(false);
  });
});
