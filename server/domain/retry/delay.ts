import type { RetryDelays } from "./by-code";

/**
 * Milliseconds to wait before a retry. `retryNo` counts from 1; `random` in [0, 1) spreads those that failed together, since
 * the jitter is added to the interval and never taken from it.
 */
export function retryDelayMs(delays: RetryDelays, retryNo: number, random: number): number {
  if (!Number.isInteger(retryNo) || retryNo < 1) throw new RangeError(`retries count from 1, not ${retryNo}`);
  switch (delays.kind) {
    case "exponential":
      return Math.round(Math.min(delays.baseMs * 2 ** (retryNo - 1), delays.capMs ?? Number.POSITIVE_INFINITY) + delays.jitterMs * random);
    case "linear":
      return Math.round(delays.stepMs * Math.min(retryNo, delays.steps) + delays.jitterMs * random);
    case "listed": {
      const intervalMs = delays.delaysMs[Math.min(retryNo, delays.delaysMs.length) - 1] ?? 0;
      const [low, high] = delays.jitter;
      return Math.round(intervalMs * (1 + low + (high - low) * random));
    }
  }
}
