import { durationMs } from "../duration";
import type { RetryDefinition } from "../pipeline/definition";

/** Who says how a node is tried again; `default` leaves the delays to the code's family (RTY-2). */
export type PolicySource = "node" | "pipeline" | "default";

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

const isDefault = (retry: RetryDefinition): boolean => "policy" in retry && retry.policy === "default";

/** The policy of a node: its own, else its pipeline's, else the three tiers; and which of them it is. */
export function policyOf(node: RetryDefinition, pipeline: RetryDefinition | undefined): RetryPolicy & { readonly retryFrom: PolicySource } {
  if (!isDefault(node)) return { ...resolveRetryPolicy(node), retryFrom: "node" };
  if (pipeline && !isDefault(pipeline)) return { ...resolveRetryPolicy(pipeline), retryFrom: "pipeline" };
  return { ...DEFAULT_RETRY_POLICY, retryFrom: "default" };
}

/** The policy that a `retry` stands for. */
export function resolveRetryPolicy(retry: RetryDefinition): RetryPolicy {
  if (!("policy" in retry)) return { retries: retry.retries, delaysMs: retry.delays.map(durationMs), jitter: retry.jitter };
  switch (retry.policy) {
    case "default":
      return DEFAULT_RETRY_POLICY;
    case "none":
      return NO_RETRY_POLICY;
  }
}
