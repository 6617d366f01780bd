import type { OverlapPolicy } from "../pipeline/definition";

/** Live runs of a schedule, at the moment of a fire. */
export interface LiveRuns {
  /** Activated and not ended, those that wait for a person included. */
  readonly active: number;
  /** Created and not yet activated. */
  readonly waiting: number;
}

export interface OverlapLimits {
  /** `queue`: runs of one schedule that may wait behind the active one. Default 10. */
  readonly waiting: number;
  /** `allow`: live runs of one schedule, so that a run that never ends cannot fill the platform. Default 100. */
  readonly live: number;
}

export const DEFAULT_OVERLAP_LIMITS: OverlapLimits = { waiting: 10, live: 100 };

export const OVERLAP_SKIPS = ["overlap_skip", "queue_full", "overlap_cap", "replaced"] as const;
/** Why a fire that is due starts no run. */
export type OverlapSkip = (typeof OVERLAP_SKIPS)[number];

export type OverlapVerdict =
  | { readonly kind: "start" }
  /** The run is created and waits until those before it have ended. */
  | { readonly kind: "wait" }
  /** As `wait`, and those before it are told to end. */
  | { readonly kind: "cancelPrevious" }
  | { readonly kind: "skip"; readonly reason: OverlapSkip };

function decideOne(policy: OverlapPolicy, live: LiveRuns, isNewest: boolean, limits: OverlapLimits): OverlapVerdict {
  const alive = live.active + live.waiting;
  switch (policy) {
    case "skip":
      return alive === 0 ? { kind: "start" } : { kind: "skip", reason: "overlap_skip" };
    case "queue":
      if (alive === 0) return { kind: "start" };
      return live.waiting < limits.waiting ? { kind: "wait" } : { kind: "skip", reason: "queue_full" };
    case "allow":
      return alive < limits.live ? { kind: "start" } : { kind: "skip", reason: "overlap_cap" };
    case "cancel_previous":
      if (!isNewest) return { kind: "skip", reason: "replaced" };
      return alive === 0 ? { kind: "start" } : { kind: "cancelPrevious" };
  }
}

/** Judges `fires` fires of one schedule that are due together, oldest first; each sees what those before it have started. */
export function decideOverlap(
  policy: OverlapPolicy,
  live: LiveRuns,
  fires: number,
  limits: OverlapLimits = DEFAULT_OVERLAP_LIMITS,
): OverlapVerdict[] {
  let { active, waiting } = live;
  return Array.from({ length: fires }, (_, index) => {
    const verdict = decideOne(policy, { active, waiting }, index === fires - 1, limits);
    if (verdict.kind === "start") active++;
    if (verdict.kind === "wait" || verdict.kind === "cancelPrevious") waiting++;
    return verdict;
  });
}
