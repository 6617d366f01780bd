import { matchesCode } from "../errors/code-pattern";
import type { PolicySource, RetryPolicy } from "./policy";

/** What a code says of its retries by itself (RTY-2). */
export type CodeFamily = "timeout" | "deadlock" | "rate_limit" | "validation";

/** When a retry comes; how often is never said here, since a code's policy replaces the delays alone. */
export type RetryDelays =
  /** `baseMs × 2^retry + random(0, jitterMs)`, retry counted from 0, and the first part never more than `capMs`. */
  | { readonly kind: "exponential"; readonly baseMs: number; readonly jitterMs: number; readonly capMs?: number }
  /** `n × stepMs + random(0, jitterMs)` for n = 1 … `steps`; the last one repeats. */
  | { readonly kind: "linear"; readonly stepMs: number; readonly steps: number; readonly jitterMs: number }
  /** One interval a retry, the last one repeats; a random share of it between the bounds is added. */
  | ({ readonly kind: "listed" } & Pick<RetryPolicy, "delaysMs" | "jitter">);

export const DEFAULT_BASE_MS = 100;
export const DEFAULT_JITTER_MS = 50;

/** The first that fits counts: a time-out of a validating service is a time-out. */
const FAMILIES: readonly { readonly family: CodeFamily; readonly patterns: readonly string[] }[] = [
  { family: "rate_limit", patterns: ["*_RATE_LIMIT_*"] },
  { family: "timeout", patterns: ["*_TIMEOUT_*"] },
  { family: "deadlock", patterns: ["*_DEADLOCK_*"] },
  // Last, the numbers by which HTTP says that the input is bad, whatever the words.
  { family: "validation", patterns: ["*_VALIDATION_*", "*_INVALID_*", "*_400", "*_413", "*_414", "*_415", "*_422"] },
];

export const familyOf = (code: string): CodeFamily | null =>
  FAMILIES.find(({ patterns }) => patterns.some((pattern) => matchesCode(pattern, code)))?.family ?? null;

const exponential = (baseMs: number): RetryDelays => ({ kind: "exponential", baseMs, jitterMs: DEFAULT_JITTER_MS });

const OF_FAMILY: Readonly<Record<Exclude<CodeFamily, "validation">, RetryDelays>> = {
  timeout: exponential(500),
  deadlock: exponential(10),
  rate_limit: { kind: "linear", stepMs: 60_000, steps: 3, jitterMs: DEFAULT_JITTER_MS },
};

/** What a policy says where it names no numbers. */
export const EXPONENTIAL: RetryDelays = exponential(DEFAULT_BASE_MS);

/**
 * The delays that apply, from the top: a routing rule's, the node's, the pipeline's, and by default what the register keeps for
 * the code, else what its family says; a code of neither has the three tiers.
 */
export function delaysFor(
  code: string,
  policy: RetryPolicy & { readonly retryFrom: PolicySource },
  { ofRule, ofCode }: { readonly ofRule: RetryDelays | null; readonly ofCode: RetryDelays | null },
): RetryDelays {
  if (ofRule) return ofRule;
  if (ofCode && policy.retryFrom === "default") return ofCode;
  const family = policy.retryFrom === "default" ? familyOf(code) : null;
  if (family !== null && family !== "validation") return OF_FAMILY[family];
  return { kind: "listed", delaysMs: policy.delaysMs, jitter: policy.jitter };
}

/** Whether to try again is in vain by the code alone: what is invalid stays invalid. */
export const isFinalCode = (code: string): boolean => familyOf(code) === "validation";
