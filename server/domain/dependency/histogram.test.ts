import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addHistograms, bucketOf, type Histogram, MOST_BUCKETS, quantileMs } from "./histogram";

const histogramOf = (durations: readonly number[]): Histogram =>
  durations.reduce<Histogram>((sum, ms) => addHistograms(sum, { [bucketOf(ms)]: 1 }), {});

describe("latency in buckets of a log scale (EXC-7)", () => {
  it.each([
    [-5, 0],
    [0, 0],
    [1, 0],
    [2, 4],
    [1_000, 40],
    [Number.NaN, 0],
    [Number.MAX_VALUE, MOST_BUCKETS - 1],
  ])("%s ms stand in bucket %s", (ms, bucket) => {
    expect(bucketOf(ms)).toBe(bucket);
  });

  it("nothing was called: there is no quantile", () => {
    expect(quantileMs({}, 0.99)).toBeNull();
  });

  it("a quantile is never below the true one, and at most 19 % and half a millisecond above it (EXC-7)", () => {
    const calls = fc.array(fc.integer({ min: 1, max: 900_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(calls, fc.constantFrom(0.5, 0.95, 0.99), (durations, share) => {
        const sorted = durations.toSorted((a, b) => a - b);
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
        const found = quantileMs(histogramOf(durations), share) ?? 0;
        expect(found).toBeGreaterThanOrEqual(exact - 0.5);
        expect(found).toBeLessThanOrEqual(exact * 1.19 + 0.51);
      }),
    );
  });

  it("minutes add up to the hour that they are of, in any order", () => {
    const [a, b] = [histogramOf([1, 5, 900]), histogramOf([5, 7, 12_000])];
    expect(addHistograms(a, b)).toEqual(histogramOf([1, 5, 900, 5, 7, 12_000]));
    expect(addHistograms(a, b)).toEqual(addHistograms(b, a));
  });
});
