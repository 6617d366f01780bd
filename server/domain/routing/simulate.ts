import { type Failing, ruleFor } from "./find-route";
import type { RouteAction } from "./route";
import type { RoutingRule } from "./rule";

/** Failures that have come about, those alike counted together. */
export interface PastFailures extends Failing {
  readonly count: number;
}

/** `policy`: no rule fits, and the node's own policy decides. */
export type Destination = RouteAction | "policy";

/** Failures that a change sends elsewhere. */
export interface Rerouted {
  readonly from: Destination;
  readonly to: Destination;
  readonly count: number;
  /** The codes among them, the most frequent first. */
  readonly codes: readonly { readonly code: string; readonly count: number }[];
}

export interface Simulation {
  readonly total: number;
  /** By the draft's rules, in their order: how many each decided on. */
  readonly matched: readonly number[];
  /** How many no rule of the draft fits. */
  readonly unmatched: number;
  /** The largest first; empty where the draft changes nothing. */
  readonly rerouted: readonly Rerouted[];
}

const SHOWN_CODES = 5;

/** What a draft would have done with past failures, beside the rules that are live now. */
export function simulateRules(live: readonly RoutingRule[], draft: readonly RoutingRule[], past: readonly PastFailures[]): Simulation {
  const matched = draft.map(() => 0);
  const ways = new Map<string, { from: Destination; to: Destination; codes: Map<string, number> }>();
  let total = 0;
  let unmatched = 0;
  for (const failing of past) {
    const { code, count } = failing;
    total += count;
    const rule = ruleFor(draft, failing);
    if (rule) matched[draft.indexOf(rule)] = (matched[draft.indexOf(rule)] ?? 0) + count;
    else unmatched += count;
    const [from, to] = [ruleFor(live, failing)?.action ?? "policy", rule?.action ?? "policy"] as const;
    if (from === to) continue;
    const way = ways.get(`${from}>${to}`) ?? { from, to, codes: new Map<string, number>() };
    way.codes.set(code, (way.codes.get(code) ?? 0) + count);
    ways.set(`${from}>${to}`, way);
  }
  return { total, matched, unmatched, rerouted: [...ways.values()].map(rerouted).sort((a, b) => b.count - a.count) };
}

function rerouted({ from, to, codes }: { from: Destination; to: Destination; codes: ReadonlyMap<string, number> }): Rerouted {
  const sorted = [...codes].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
  return { from, to, count: sorted.reduce((sum, { count }) => sum + count, 0), codes: sorted.slice(0, SHOWN_CODES) };
}
