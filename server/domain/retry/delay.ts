import type { RetryPolicy } from "./policy";

/**
 * Milliseconds to wait before a retry. `retryNo` counts from 1; `random` in [0, 1) spreads those
 * that failed together, since the jitter is added to the interval and never taken from it.
 */
export function retryDelayMs(policy: RetryPolicy, retryNo: number, random: number): number {
  if (!Number.isInteger(retryNo) || retryNo < 1) throw new RangeError(`retries count from 1, not ${retryNo}`);
  const intervalMs = policy.delaysMs[Math.min(retryNo, policy.delaysMs.length) - 1] ?? 0;
  const [low, high] = policy.jitter;
  return Math.round(intervalMs * (1 + low + (high - low) * random));
}
