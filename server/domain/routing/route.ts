import type { RetryDelays } from "../retry/by-code";

/**
 * Where a failure goes: again by its policy, to a person, to no retry at all, on while the run is paused, or over to the node
 * that stands in for this one; or on by its policy while the worker that ran it is taken out (EXC-5).
 */
export const ROUTE_ACTIONS = ["retry", "review", "fail", "pause", "degrade", "breaker"] as const;
export type RouteAction = (typeof ROUTE_ACTIONS)[number];

/** What one rule says of one failure, as plain data; it comes to the decision with the failure. */
export interface Route {
  /** The rule's name, and the version of the table that it stood in. */
  readonly rule: string;
  readonly version: number;
  readonly action: RouteAction;
  /** Of a `retry` with a policy of its own: it replaces the delays, never the count. */
  readonly delays: RetryDelays | null;
}
