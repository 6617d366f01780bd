import type { AttemptView } from "../../views";

/** The five instants of an attempt, in the order in which they come. */
export const INSTANTS = ["queued", "dispatched", "pickedUp", "executing", "committed"] as const;
export type Instant = (typeof INSTANTS)[number];

export interface Stage {
  /** The instant that begins it. */
  from: Instant;
  /** The one that ends it; null while it lasts. */
  to: Instant | null;
  startMs: number;
  endMs: number;
}

const FIELDS = {
  queued: "queuedAt",
  dispatched: "dispatchedAt",
  pickedUp: "pickedUpAt",
  executing: "executingAt",
  committed: "committedAt",
} as const satisfies Record<Instant, keyof AttemptView["times"]>;

export const instantOf = (attempt: Pick<AttemptView, "times">, instant: Instant): Date | null => attempt.times[FIELDS[instant]];

/**
 * The ways between the instants that are known. Instants come from several clocks, so a stage is never shorter than
 * nothing; the last one goes on until `nowMs` where the attempt has not ended.
 */
export function stagesOf(attempt: Pick<AttemptView, "times" | "outcome">, nowMs: number): Stage[] {
  const known = INSTANTS.flatMap((instant) => {
    const at = instantOf(attempt, instant);
    return at === null ? [] : [{ instant, ms: at.getTime() }];
  });
  const stages = known.slice(1).map((to, index): Stage => {
    const from = known[index] ?? to;
    return { from: from.instant, to: to.instant, startMs: from.ms, endMs: Math.max(from.ms, to.ms) };
  });
  const last = known.at(-1);
  if (last && last.instant !== "committed" && attempt.outcome === null) {
    stages.push({ from: last.instant, to: null, startMs: last.ms, endMs: Math.max(last.ms, nowMs) });
  }
  return stages;
}
