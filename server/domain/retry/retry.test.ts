import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeSchema } from "../pipeline/definition";
import { retriesLeft } from "./budget";
import { retryDelayMs as delayMs } from "./delay";
import { DEFAULT_RETRY_POLICY, type RetryPolicy, resolveRetryPolicy } from "./policy";

/** The delays that a policy lists, as a node's own words are. */
const retryDelayMs = ({ delaysMs, jitter }: RetryPolicy, retryNo: number, random: number): number =>
  delayMs({ kind: "listed", delaysMs, jitter }, retryNo, random);

const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const policies: fc.Arbitrary<RetryPolicy> = fc.record({
  retries: fc.nat({ max: 20 }),
  delaysMs: fc.array(fc.nat({ max: 3_600_000 }), { minLength: 1, maxLength: 20 }),
  jitter: fc
    .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([a, b]): readonly [number, number] => [Math.min(a, b), Math.max(a, b)]),
});

describe("which policy a node has (RTY-1)", () => {
  it("says nothing: three tiers, three retries, 30 to 70 % of the interval added (RTY-1)", () => {
    const node = nodeSchema.parse({ key: "load", type: "wait", with: { for: "1s" } });
    expect(resolveRetryPolicy(node.retry)).toEqual({ retries: 3, delaysMs: [2_500, 120_000, 240_000], jitter: [0.3, 0.7] });
  });

  it("says none: one attempt is all (RTY-1)", () => {
    expect(resolveRetryPolicy({ policy: "none" })).toMatchObject({ retries: 0 });
  });

  it("says its own: durations become milliseconds (RTY-1)", () => {
    expect(resolveRetryPolicy({ retries: 5, delays: ["500ms", "1m30s"], jitter: [0, 0.1] })).toEqual({
      retries: 5,
      delaysMs: [500, 90_000],
      jitter: [0, 0.1],
    });
  });
});

describe("how long a retry waits (RTY-1)", () => {
  it("the fast tier comes within 5 s, the slow ones at 2 and 4 minutes and at most 70 % later (RTY-1)", () => {
    fc.assert(
      fc.property(randoms, (random) => {
        const [fast, slow, slower] = [1, 2, 3].map((retryNo) => retryDelayMs(DEFAULT_RETRY_POLICY, retryNo, random));
        expect(fast).toBeGreaterThanOrEqual(3_250);
        expect(fast).toBeLessThan(5_000);
        expect(slow).toBeGreaterThanOrEqual(156_000);
        expect(slow).toBeLessThanOrEqual(204_000);
        expect(slower).toBeGreaterThanOrEqual(312_000);
        expect(slower).toBeLessThanOrEqual(408_000);
      }),
    );
  });

  it("every delay lies within its interval plus the jitter's bounds, whatever the policy (RTY-1)", () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 30 }), randoms, (policy, retryNo, random) => {
        const interval = policy.delaysMs[Math.min(retryNo, policy.delaysMs.length) - 1] ?? 0;
        const delay = retryDelayMs(policy, retryNo, random);
        expect(delay).toBeGreaterThanOrEqual(Math.floor(interval * (1 + policy.jitter[0])));
        expect(delay).toBeLessThanOrEqual(Math.ceil(interval * (1 + policy.jitter[1])));
      }),
    );
  });

  it("a hundred that failed together come back spread over the whole band (RTY-1)", () => {
    const delays = Array.from({ length: 100 }, (_, index) => retryDelayMs(DEFAULT_RETRY_POLICY, 2, index / 100));
    expect(new Set(delays).size).toBe(100);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(47_000);
  });

  it("the last delay repeats, and a policy without delays does not wait (RTY-1)", () => {
    const policy: RetryPolicy = { retries: 5, delaysMs: [100, 200], jitter: [0, 0] };
    expect([1, 2, 3, 9].map((retryNo) => retryDelayMs(policy, retryNo, 0.5))).toEqual([100, 200, 200, 200]);
    expect(retryDelayMs({ retries: 1, delaysMs: [], jitter: [0, 0] }, 1, 0.5)).toBe(0);
  });

  it("retry number 0 is a mistake of the caller, not a delay (RTY-1)", () => {
    expect(() => retryDelayMs(DEFAULT_RETRY_POLICY, 0, 0)).toThrow(RangeError);
  });
});

describe("how many retries are left (RTY-3)", () => {
  it("counts down from the first attempt and never below zero (RTY-3)", () => {
    expect([0, 1, 2, 3, 4, 5, 99].map((attempts) => retriesLeft(DEFAULT_RETRY_POLICY, attempts))).toEqual([3, 3, 2, 1, 0, 0, 0]);
  });

  it("attempts are bounded by retries plus one, whatever else happens (RTY-3)", () => {
    fc.assert(
      fc.property(policies, (policy) => {
        let attempts = 1;
        while (retriesLeft(policy, attempts) > 0) attempts++;
        expect(attempts).toBe(policy.retries + 1);
      }),
    );
  });
});
