import { describe, expect, it } from "vitest";
import { definitionOf, node } from "@/db/testing/plans";
import { NODE_TYPES } from "./definition";
import { parseDefinition } from "./parse-definition";
import { validateDefinition } from "./validate";

describe("a pipeline that would start another", () => {
  it("cannot be published: no type of node starts a pipeline, so none refers back to itself, and none outlives its parent's cancel (B65, B74)", () => {
    // Each row needs a case of its own, at run time too, as soon as there is such a type.
    expect([...NODE_TYPES].sort()).toEqual(["command", "handler", "http", "wait"]);
    const parsed = parseDefinition({
      apiVersion: "apollo11/v1",
      kind: "Pipeline",
      metadata: { name: "p", title: "P", owner: "tests" },
      spec: { domain: "TEST", nodes: [{ key: "again", type: "pipeline", with: { pipeline: "p" } }] },
    });
    expect(parsed).toMatchObject({ ok: false, issues: [expect.objectContaining({ path: "spec.nodes[0].type" })] });
  });

  it("is refused with the path shown where its own nodes go in a circle (B74)", () => {
    const issues = validateDefinition(definitionOf([node("a", ["c"]), node("b", ["a"]), node("c", ["b"])]));
    expect(JSON.stringify(issues)).toMatch(/a → b → c → a|b → c → a → b|c → a → b → c|a → c → b → a/);
  });
});
