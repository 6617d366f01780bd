import { describe, expect, it } from "vitest";
import { adviseRetries, DELAY_SPANS_MS, type RetrySample, shareInterval, spanOf } from "./advise";

const sample = (retryNo: number, medianMs: number, helped: number, tried: number): RetrySample => ({
  ...{ retryNo, helped, tried, medianMs },
  span: spanOf(medianMs),
});

describe("the advisor of retries (RTY-4)", () => {
  it.each([
    ["no history", [], { kind: "too_few", samples: 0, missing: 20 }],
    ["19 samples say nothing, however clear they are", [sample(1, 500, 19, 19)], { kind: "too_few", samples: 19, missing: 1 }],
    ["20 samples are enough", [sample(1, 500, 20, 20)], { kind: "delays", samples: 20, delaysMs: [500] }],
    [
      "20 samples over two delays: neither is known well enough",
      [sample(1, 500, 8, 12), sample(1, 9_000, 8, 8)],
      { kind: "too_few", samples: 20, missing: 8 },
    ],
    [
      "a longer delay that clearly helps more is taken, and what it had spared is told",
      [sample(1, 500, 10, 100), sample(1, 60_000, 90, 100)],
      { kind: "delays", delaysMs: [60_000], saved: { attempts: 80, waitMs: 0 } },
    ],
    [
      "of two that help alike the shorter is taken, and the wait that it had spared is told",
      [sample(1, 500, 88, 100), sample(1, 60_000, 90, 100)],
      { kind: "delays", delaysMs: [500], saved: { attempts: 0, waitMs: 5_950_000 } },
    ],
    [
      "each retry has its own delay",
      [sample(1, 2_500, 40, 50), sample(2, 130_000, 15, 20)],
      { kind: "delays", delaysMs: [2_500, 130_000] },
    ],
    [
      "a retry that is hardly known repeats the one before",
      [sample(1, 2_500, 40, 50), sample(2, 130_000, 3, 3)],
      { kind: "delays", delaysMs: [2_500] },
    ],
    [
      "a retry that never helped is not suggested after one that does",
      [sample(1, 2_500, 40, 50), sample(2, 130_000, 0, 200)],
      { kind: "delays", delaysMs: [2_500] },
    ],
    ["what never helps is stopped", [sample(1, 2_000, 0, 200)], { kind: "stop", saved: { attempts: 200, waitMs: 400_000 } }],
    ["72 that did not help are no proof that none will", [sample(1, 2_000, 0, 72)], { kind: "too_few", samples: 72, missing: 1 }],
    ["73 are", [sample(1, 2_000, 0, 73)], { kind: "stop" }],
  ])("%s", (_name, samples, expected) => {
    expect(adviseRetries(samples as RetrySample[])).toMatchObject(expected);
  });

  it.each([
    [0, 20, 0, 0.161],
    [10, 20, 0.299, 0.701],
    [20, 20, 0.839, 1],
    [0, 0, 0, 1],
  ])("%s of %s lies between %s and %s with 95 %% (RTY-4)", (helped, tried, low, high) => {
    const interval = shareInterval(helped, tried);
    expect(interval.low).toBeCloseTo(low, 3);
    expect(interval.high).toBeCloseTo(high, 3);
  });

  it.each([
    [0, 0],
    [999, 0],
    [1_000, 1],
    [600_000, 5],
    [86_400_000, 5],
  ])("a delay of %s ms is of span %s", (ms, span) => {
    expect(spanOf(ms)).toBe(span);
    expect(DELAY_SPANS_MS[span]).toBeLessThanOrEqual(ms);
  });
});
