import type { OverlapPolicy } from "../pipeline/definition";
import { type FirePlanInput, type PlannedFire, planFires } from "./due";
import { decideOverlap, type LiveRuns, type OverlapVerdict } from "./overlap";
import { type FireReason, type FireVerdict, verdictOfRun } from "./verdict";

/** A fire as the ledger will hold it, and how its run begins. */
export interface JudgedFire {
  readonly fireAt: Date;
  readonly lateMs: number;
  readonly verdict: FireVerdict;
  readonly reason: FireReason | null;
  /** Null when it starts no run. */
  readonly start: { readonly afterEarlier: boolean; readonly cancelPrevious: boolean } | null;
}

export interface JudgedFires {
  readonly fires: readonly JudgedFire[];
  readonly cursor: Date;
  readonly nextFireAt: Date | null;
  readonly hasMore: boolean;
}

/** Everything that is due of one schedule, each fire with the one verdict that the ledger keeps of it (SCH-5). */
export function judgeFires(input: FirePlanInput & { readonly overlap: OverlapPolicy; readonly live: LiveRuns }): JudgedFires {
  const { fires, cursor, nextFireAt, hasMore } = planFires(input);
  const verdicts = decideOverlap(input.overlap, input.live, fires.filter((fire) => fire.verdict !== "missed").length);
  const next = verdicts.values();
  return { fires: fires.map((fire) => judged(fire, next)), cursor, nextFireAt, hasMore };
}

function judged(fire: PlannedFire, overlaps: Iterator<OverlapVerdict>): JudgedFire {
  const { fireAt, lateMs } = fire;
  if (fire.verdict === "missed") return { fireAt, lateMs, verdict: "missed", reason: fire.reason, start: null };
  const overlap = overlaps.next().value as OverlapVerdict;
  switch (overlap.kind) {
    case "skip":
      return { fireAt, lateMs, verdict: "skipped", reason: overlap.reason, start: null };
    case "start":
      return ran(fire, false, false);
    case "wait":
      return ran(fire, true, false);
    case "cancelPrevious":
      return ran(fire, true, true);
  }
}

function ran(fire: Exclude<PlannedFire, { verdict: "missed" }>, afterEarlier: boolean, cancelPrevious: boolean): JudgedFire {
  const { fireAt, lateMs } = fire;
  return { fireAt, lateMs, verdict: verdictOfRun(fire.verdict), reason: null, start: { afterEarlier, cancelPrevious } };
}
