import { describe, expect, it } from "vitest";
import { type Failing, findRoute } from "./find-route";
import { type RoutingRuleInput, ruleSchema, rulesSchema, SHIPPED_RULES } from "./rule";
import { simulateRules } from "./simulate";

const failing = (code: string, more: Partial<Failing> = {}): Failing => ({
  code,
  pipeline: "orders",
  labels: {},
  taskClass: "basic",
  ...more,
});
const rule = (name: string, more: Partial<RoutingRuleInput> = {}) => ruleSchema.parse({ name, pattern: "*", action: "fail", ...more });

describe("the routing table (EXC-5)", () => {
  it("ships with time-outs that are tried again and shortages that go to a person; the rest is the policy's (EXC-5)", () => {
    const table = { version: 0, rules: SHIPPED_RULES };
    expect(findRoute(table, failing("ORDER_PAY_TIMEOUT_504"))).toMatchObject({ action: "retry", version: 0, delays: null });
    expect(findRoute(table, failing("ORDER_STOCK_SHORTAGE_409"))).toMatchObject({ action: "review", rule: "Shortages go to the owner" });
    expect(findRoute(table, failing("ORDER_STEP_BROKEN_500"))).toBeNull();
    expect(rulesSchema.parse(SHIPPED_RULES)).toEqual(SHIPPED_RULES);
  });

  it("lets the first rule that fits decide, whatever comes after it (EXC-5)", () => {
    const rules = [rule("narrow", { pattern: "ORDER_PAY_*", action: "review" }), rule("wide", { pattern: "ORDER_*", action: "retry" })];
    expect(findRoute({ version: 4, rules }, failing("ORDER_PAY_TIMEOUT_504"))).toMatchObject({ rule: "narrow", version: 4 });
    expect(findRoute({ version: 4, rules: rules.toReversed() }, failing("ORDER_PAY_TIMEOUT_504"))).toMatchObject({ rule: "wide" });
  });

  it.each([
    ["its pipeline", { pipeline: "orders" }, { pipeline: "billing" }],
    ["its task class", { taskClass: "core" }, {}, { taskClass: "core" }],
    ["its label", { label: { key: "tier", value: "gold" } }, { labels: { tier: "iron" } }, { labels: { tier: "gold", team: "a" } }],
    ["its label, not one that every object has", { label: { key: "constructor", value: "x" } }, {}, { labels: { constructor: "x" } }],
  ] as const)("asks a failure for %s (EXC-5)", (_, asks, other, own: Partial<Failing> = {}) => {
    const table = { version: 1, rules: [rule("r", asks)] };
    expect(findRoute(table, failing("ORDER_A_B_1", own as Partial<Failing>))?.rule).toBe("r");
    expect(findRoute(table, failing("ORDER_A_B_1", other as Partial<Failing>))).toBeNull();
  });

  it("gives a retry the delays of its policy: 100 ms and 50 ms where it names no numbers (RTY-2, EXC-5)", () => {
    const delays = (more: RoutingRuleInput["delays"]) =>
      findRoute({ version: 1, rules: [rule("r", { action: "retry", delays: more })] }, failing("ORDER_A_B_1"))?.delays;
    expect(delays({})).toEqual({ kind: "exponential", baseMs: 100, jitterMs: 50 });
    expect(delays({ base: "2s", jitter: "0ms" })).toEqual({ kind: "exponential", baseMs: 2_000, jitterMs: 0 });
    expect(delays({ delays: ["1m", "5m"] })).toEqual({ kind: "listed", delaysMs: [60_000, 300_000], jitter: [0.3, 0.7] });
    expect(delays(undefined)).toBeNull();
  });

  it.each([
    ["a pattern in small letters", { pattern: "*timeout*" }, "pattern"],
    ["a rule without a name", { name: " " }, "name"],
    ["delays of what is not a retry", { action: "review", delays: {} }, "delays"],
    ["an unknown field", { patern: "*" }, ""],
  ])("refuses %s, and says where (SEC-3)", (_, more, path) => {
    const parsed = ruleSchema.safeParse({ name: "r", pattern: "*", action: "fail", ...more });
    expect(parsed.error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  it("refuses two rules of one name: an event could not say which decided (EXC-5)", () => {
    const parsed = rulesSchema.safeParse([rule("r"), rule("other"), rule("r")]);
    expect(parsed.error?.issues).toMatchObject([{ path: [2, "name"] }]);
  });
});

describe("a simulation over what has failed (EXC-5)", () => {
  const past = [
    { ...failing("ORDER_PAY_TIMEOUT_504"), count: 41 },
    { ...failing("ORDER_PAY_TIMEOUT_504", { pipeline: "billing" }), count: 9 },
    { ...failing("ORDER_STOCK_SHORTAGE_409"), count: 5 },
    { ...failing("ORDER_STEP_BROKEN_500"), count: 3 },
  ];

  it("tells how many would have gone elsewhere, from where to where and of which codes (EXC-5)", () => {
    const draft = [rule("orders wait", { pattern: "*_TIMEOUT_*", pipeline: "orders", action: "review" }), ...SHIPPED_RULES];
    expect(simulateRules(SHIPPED_RULES, draft, past)).toEqual({
      total: 58,
      matched: [41, 9, 5, 0],
      unmatched: 3,
      rerouted: [{ from: "retry", to: "review", count: 41, codes: [{ code: "ORDER_PAY_TIMEOUT_504", count: 41 }] }],
    });
  });

  it("tells of nothing where the draft is what is live, and of the policy where a rule is gone (EXC-5)", () => {
    expect(simulateRules(SHIPPED_RULES, SHIPPED_RULES, past).rerouted).toEqual([]);
    expect(simulateRules(SHIPPED_RULES, [], past).rerouted.map(({ from, to, count }) => [from, to, count])).toEqual([
      ["retry", "policy", 50],
      ["review", "policy", 5],
    ]);
  });
});
