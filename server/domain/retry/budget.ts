import type { RetryPolicy } from "./policy";

/** Retries that are left after so many attempts, the first one included; redeliveries and inner retries count as attempts. */
export function retriesLeft(policy: RetryPolicy, attemptsMade: number): number {
  return Math.max(0, policy.retries - Math.max(0, attemptsMade - 1));
}
