import type { Route } from "../../server/domain/routing/route";
import type { PlanNode } from "../../server/domain/run/model";

/** What a rule of the routing table says of a failure. */
export interface NaiveRoute {
  readonly action: Route["action"];
  /** Of a retry with a policy of its own: the base that is doubled, and what is added at most. */
  readonly base: number | null;
  readonly added: number;
}

/** The table of codes, word by word: base and whether it doubles; what is added is at most 50 ms. */
const OF_CODES: readonly (readonly [word: string, base: number, doubles: boolean])[] = [
  ["_RATE_LIMIT_", 60_000, false],
  ["_TIMEOUT_", 500, true],
  ["_DEADLOCK_", 10, true],
];
const INVALID = /_VALIDATION_|_INVALID_|_4(00|13|14|15|22)$/;
const wordOf = (code: string) => OF_CODES.find(([word]) => code.includes(word));

/** Whether a code says that to try again is in vain; the words that ask for a retry come first. */
export const isInVain = (code: string): boolean => INVALID.test(code) && !wordOf(code);

/** When the next attempt comes: by the rule, by the node's or the pipeline's own words, by the code, or by the three tiers. */
export function naiveDelay(
  { plan, charged }: { readonly plan: PlanNode; readonly charged: number },
  code: string,
  route: NaiveRoute | null,
  jitter: number,
): number {
  const retry = Math.max(1, charged);
  if (route?.action === "retry" && route.base !== null) return route.base * 2 ** (retry - 1) + route.added * jitter;
  const word = plan.retryFrom === "default" ? wordOf(code) : undefined;
  if (word) return (word[2] ? word[1] * 2 ** (retry - 1) : word[1] * Math.min(retry, 3)) + 50 * jitter;
  const { delaysMs, jitter: band } = plan;
  return (delaysMs[Math.min(retry, delaysMs.length) - 1] ?? 0) * (1 + band[0] + (band[1] - band[0]) * jitter);
}

export function naiveRoute(route: Route | null | undefined): NaiveRoute | null {
  if (!route) return null;
  const { action, delays } = route;
  return delays?.kind === "exponential" ? { action, base: delays.baseMs, added: delays.jitterMs } : { action, base: null, added: 0 };
}
