import { describe, expect, it } from "vitest";
import { activeRun, failureOf, node, planFor } from "@/db/testing/plans";
import { delaysFor, EXPONENTIAL, familyOf, isFinalCode, type RetryDelays } from "./by-code";
import { retryDelayMs } from "./delay";
import { DEFAULT_RETRY_POLICY, policyOf } from "./policy";

const DEFAULT = policyOf({ policy: "default" }, undefined);
const NODE = policyOf({ retries: 4, delays: ["7s", "8s"], jitter: [0, 0] }, { retries: 9, delays: ["1h"], jitter: [0, 0] });
const PIPELINE = policyOf({ policy: "default" }, { retries: 2, delays: ["30s"], jitter: [0, 0] });
const RULE: RetryDelays = { kind: "exponential", baseMs: 1_000, jitterMs: 0 };

const CODE: RetryDelays = { kind: "exponential", baseMs: 3_000, jitterMs: 0, capMs: 10_000 };

const delays = (
  code: string,
  policy: typeof DEFAULT,
  { rule = null, own = null, random = 0 }: { rule?: RetryDelays | null; own?: RetryDelays | null; random?: number } = {},
) => [1, 2, 3, 4].map((retryNo) => retryDelayMs(delaysFor(code, policy, { ofRule: rule, ofCode: own }), retryNo, random));

describe("a retry by its code (RTY-2)", () => {
  it.each([
    ["ORDER_PAY_TIMEOUT_504", "timeout", [500, 1_000, 2_000, 4_000]],
    ["ORDER_DB_DEADLOCK_500", "deadlock", [10, 20, 40, 80]],
    ["ORDER_API_RATE_LIMIT_429", "rate_limit", [60_000, 120_000, 180_000, 180_000]],
    ["ORDER_VALIDATION_TIMEOUT_504", "timeout", [500, 1_000, 2_000, 4_000]],
  ] as const)(
    "%s is of the family %s and waits %j ms: the base doubles with each retry, counted from 0 (RTY-2)",
    (code, family, expected) => {
      expect(familyOf(code)).toBe(family);
      expect(delays(code, DEFAULT)).toEqual(expected);
      expect(delays(code, DEFAULT, { random: 0.999 }).map((ms, index) => ms - (expected[index] ?? 0))).toEqual([50, 50, 50, 50]);
    },
  );

  it("has a base of 100 ms and a jitter of 50 ms where a policy names no numbers (RTY-2)", () => {
    expect([1, 2, 3].map((retryNo) => retryDelayMs(EXPONENTIAL, retryNo, 0))).toEqual([100, 200, 400]);
    expect(retryDelayMs(EXPONENTIAL, 1, 0.5)).toBe(125);
  });

  it("leaves a code of no family its three tiers (RTY-1, RTY-2)", () => {
    expect(familyOf("ORDER_STEP_BROKEN_500")).toBeNull();
    expect(delays("ORDER_STEP_BROKEN_500", DEFAULT)).toEqual([2_500, 120_000, 240_000, 240_000].map((ms) => ms * 1.3));
  });

  it.each([
    ["a rule's policy stands above the node's", NODE, RULE, CODE, [1_000, 2_000, 4_000, 8_000]],
    ["a rule's above the register's", DEFAULT, RULE, CODE, [1_000, 2_000, 4_000, 8_000]],
    ["the node's own above its pipeline's and the code's", NODE, null, CODE, [7_000, 8_000, 8_000, 8_000]],
    ["the pipeline's above the code's", PIPELINE, null, CODE, [30_000, 30_000, 30_000, 30_000]],
    ["what the register keeps above the code's family, up to its cap", DEFAULT, null, CODE, [3_000, 6_000, 10_000, 10_000]],
    ["by default the code's family before the tiers", DEFAULT, null, null, [500, 1_000, 2_000, 4_000]],
  ] as const)("goes by the precedence: %s (RTY-2)", (_, policy, rule, own, expected) => {
    expect(delays("ORDER_PAY_TIMEOUT_504", policy, { rule, own })).toEqual(expected);
  });

  it("never changes the count: what the node, else the pipeline, says holds with any code and any rule (RTY-2, RTY-3)", () => {
    expect([DEFAULT, NODE, PIPELINE].map(({ retries, retryFrom }) => [retries, retryFrom])).toEqual([
      [3, "default"],
      [4, "node"],
      [2, "pipeline"],
    ]);
    expect(policyOf({ policy: "none" }, { retries: 9, delays: ["1h"], jitter: [0, 0] })).toMatchObject({ retries: 0, retryFrom: "node" });
    expect(policyOf({ policy: "default" }, { policy: "none" })).toMatchObject({ retries: 0, retryFrom: "pipeline" });
    expect(policyOf({ policy: "default" }, { policy: "default" })).toEqual({ ...DEFAULT_RETRY_POLICY, retryFrom: "default" });
  });

  it("a pipeline's own policy is that of its nodes which say nothing (RTY-2)", () => {
    const own = { retries: 1, delays: ["1s"] };
    const plan = planFor([node("a"), node("b", [], { retry: { policy: "none" } })], { retry: own });
    expect(plan.nodes.map(({ key, retries, retryFrom }) => [key, retries, retryFrom])).toEqual([
      ["a", 1, "pipeline"],
      ["b", 0, "node"],
    ]);
  });

  it.each(["ORDER_FORM_VALIDATION_409", "ORDER_INPUT_INVALID_500", "ORDER_A_B_400", "ORDER_A_B_413", "ORDER_A_B_415", "ORDER_A_B_422"])(
    "%s is not tried again: what is invalid stays invalid (RTY-2)",
    (code) => {
      expect(isFinalCode(code)).toBe(true);
      const run = activeRun([node("a")]);
      run.claim("a").fail("a", failureOf(code));
      expect(run.node("a").state).toBe("FAILED");
    },
  );

  it.each(["ORDER_A_CONFLICT_409", "ORDER_A_MISSING_404", "ORDER_A_TIMEOUT_422", "ORDER_A_RATE_LIMIT_400", "ORDER_A_B_1400"])(
    "%s may be tried again (RTY-2)",
    (code) => {
      const run = activeRun([node("a")]);
      run.claim("a").fail("a", failureOf(code));
      expect(run.node("a").state).toBe("RETRYING");
    },
  );

  it("obeys Retry-After where it is later than the code's own time, and never comes before either (RTY-2)", () => {
    for (const [retryAfterMs, expected] of [
      [200_000, 200_000],
      [5_000, 60_000],
      [null, 60_000],
    ] as const) {
      const run = activeRun([node("a")]);
      run.claim("a").fail("a", { ...failureOf("ORDER_API_RATE_LIMIT_429"), retryAfterMs });
      expect((run.node("a").dueAt?.getTime() ?? 0) - run.now.getTime()).toBe(expected);
    }
  });
});
