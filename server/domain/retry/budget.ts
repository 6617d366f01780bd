import type { RetryPolicy } from "./policy";

/** Retries that are left after so many attempts, the first one included; redeliveries and inner retries count as attempts. */
export function retriesLeft(policy: RetryPolicy, attemptsMade: number): number {
  return Math.max(0, policy.retries - Math.max(0, attemptsMade - 1));
}

/** A node under which so many of its attempts died, or lost their worker, may be what kills them: it waits for a person (P19). */
export const MAX_DEATHS = 3;
