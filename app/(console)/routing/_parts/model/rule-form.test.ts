import { describe, expect, it } from "vitest";
import { type RoutingRuleInput, ruleSchema } from "@/server/domain/routing/rule";
import { fieldsOf, ruleOf } from "./rule-form";

const parse = (more: Partial<RoutingRuleInput>) => ruleSchema.parse({ name: "r", pattern: "*_A_*", action: "retry", ...more });

describe("the form of a routing rule (EXC-5)", () => {
  it.each([
    ["a plain one", {}],
    [
      "one with every condition",
      { pipeline: "orders", label: { key: "tier", value: "a=b" }, taskClass: "core" as const, action: "review" as const },
    ],
    ["one that doubles", { delays: { base: "2s", jitter: "1s" } }],
    ["one with delays", { delays: { delays: ["1m", "5m"] } }],
  ])("holds %s, and says the same rule again (EXC-5)", (_, more) => {
    const rule = parse(more);
    expect(ruleOf(fieldsOf(rule), [])).toEqual({ rule });
  });

  it("leaves delays out of what is no retry, whatever stands in their fields (EXC-5)", () => {
    expect(ruleOf({ ...fieldsOf(parse({ delays: {} })), action: "fail" }, [])).toEqual({ rule: parse({ action: "fail" }) });
  });

  it.each([
    ["name", { name: " " }],
    ["name", { name: "taken" }],
    ["pattern", { pattern: "*timeout*" }],
    ["pipeline", { pipeline: "No Name" }],
    ["label", { label: "tier" }],
    ["delays", { timing: "exponential" as const, base: "soon" }],
    ["delays", { timing: "listed" as const, delays: "" }],
  ])("says that %s is wrong in %j (SEC-3)", (field, more) => {
    expect(ruleOf({ ...fieldsOf(parse({})), ...more }, ["taken"])).toEqual({ wrong: new Set([field]) });
  });
});
