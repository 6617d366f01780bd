import { durationMs } from "../duration";
import type { RetryDefinition } from "../pipeline/definition";

/** How often and how late a failed attempt is tried again, with every default filled in. */
export interface RetryPolicy {
  /** Retries after the first attempt; 0 means that one attempt is all. */
  readonly retries: number;
  /** Interval before retry 1, 2, …; the last one repeats. */
  readonly delaysMs: readonly number[];
  /** Bounds of the random share of the interval that is added to it. */
  readonly jitter: readonly [low: number, high: number];
}

/** Three tiers: fast, once within 5 s; slow, at 2 and 4 minutes; then a person. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = { retries: 3, delaysMs: [2_500, 120_000, 240_000], jitter: [0.3, 0.7] };

const NO_RETRY_POLICY: RetryPolicy = { retries: 0, delaysMs: [], jitter: [0, 0] };

/** The policy that a node's `retry` stands for. */
export function resolveRetryPolicy(retry: RetryDefinition): RetryPolicy {
  if (!("policy" in retry)) return { retries: retry.retries, delaysMs: retry.delays.map(durationMs), jitter: retry.jitter };
  switch (retry.policy) {
    case "default":
      return DEFAULT_RETRY_POLICY;
    case "none":
      return NO_RETRY_POLICY;
  }
}
