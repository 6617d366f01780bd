import type { MisfirePolicy } from "../pipeline/definition";
import { firesBetween, nextFires, type ScheduleTiming } from "./next-fires";

/** Bounds of lateness and catch-up; every one of them is a default that an administrator may change. */
export interface FireLimits {
  /** Up to here a fire counts as on time: the wheel's tick and one commit. Default 1 s. */
  readonly onTimeMs: number;
  /** Up to here a fire simply runs late, whatever the misfire policy: a take-over, a slow commit. Default 60 s. */
  readonly lateMs: number;
  /** Policy `all` makes up fires no older than this. Default 24 h. */
  readonly catchUpWindowMs: number;
  /** Policy `all` makes up this many, the newest ones. Default 100. */
  readonly catchUpCount: number;
  /** Fires judged in one plan; what is left over waits for the next plan. Default 5,000. */
  readonly maxFires: number;
}

export const DEFAULT_FIRE_LIMITS: FireLimits = {
  onTimeMs: 1_000,
  lateMs: 60_000,
  catchUpWindowMs: 86_400_000,
  catchUpCount: 100,
  maxFires: 5_000,
};

export const PLANNED_VERDICTS = ["on_time", "late", "caught_up", "missed"] as const;
export type PlannedVerdict = (typeof PLANNED_VERDICTS)[number];

/** Why an expected fire does not run. */
export const MISS_REASONS = ["policy_none", "superseded", "outside_window", "over_count"] as const;
export type MissReason = (typeof MISS_REASONS)[number];

export type PlannedFire =
  | { readonly fireAt: Date; readonly lateMs: number; readonly verdict: "on_time" | "late" | "caught_up" }
  | { readonly fireAt: Date; readonly lateMs: number; readonly verdict: "missed"; readonly reason: MissReason };

export interface FirePlan {
  /** Every expected fire in (cursor, now], oldest first, each with exactly one verdict. */
  readonly fires: readonly PlannedFire[];
  /** The last fire that this plan has judged, or the cursor that came in. */
  readonly cursor: Date;
  /** More fires are due than one plan takes: plan again from the new cursor at once. */
  readonly hasMore: boolean;
  /** The next fire after the cursor and after now; null where the expression's years are over. */
  readonly nextFireAt: Date | null;
  readonly counts: Readonly<Record<PlannedVerdict, number>>;
}

export interface FirePlanInput {
  readonly schedule: ScheduleTiming;
  readonly misfire: MisfirePolicy;
  /** The last fire that has been judged, as the database holds it. */
  readonly cursor: Date;
  readonly now: Date;
  /** When this version of the schedule became active: earlier fires are not its own and do not exist. */
  readonly activeFrom: Date;
  readonly limits?: Partial<FireLimits>;
}

interface Facts {
  readonly misfire: MisfirePolicy;
  readonly limits: FireLimits;
  readonly nowMs: number;
  /** How many due fires are newer than the one at hand. */
  readonly newer: number;
}

function judge(fireAt: Date, { misfire, limits, nowMs, newer }: Facts): PlannedFire {
  const lateMs = Math.max(0, nowMs - fireAt.getTime());
  const missed = (reason: MissReason): PlannedFire => ({ fireAt, lateMs, verdict: "missed", reason });
  if (lateMs <= limits.onTimeMs) return { fireAt, lateMs, verdict: "on_time" };
  if (lateMs <= limits.lateMs) return { fireAt, lateMs, verdict: "late" };
  switch (misfire) {
    case "none":
      return missed("policy_none");
    case "latest":
      return newer > 0 ? missed("superseded") : { fireAt, lateMs, verdict: "caught_up" };
    case "all":
      if (lateMs > limits.catchUpWindowMs) return missed("outside_window");
      if (newer >= limits.catchUpCount) return missed("over_count");
      return { fireAt, lateMs, verdict: "caught_up" };
  }
}

/**
 * Judges every fire that has become due since the cursor: pure, so that one instant gives one plan,
 * whichever process asks. Expected fires always equal the sum of the verdicts.
 */
export function planFires(input: FirePlanInput): FirePlan {
  const { schedule, misfire, cursor, now, activeFrom } = input;
  const limits = { ...DEFAULT_FIRE_LIMITS, ...input.limits };
  const from = new Date(Math.max(cursor.getTime(), activeFrom.getTime() - 1));
  // The newest ones decide what may be made up, so the plan looks a little beyond what it takes.
  const due = firesBetween(schedule, from, now, limits.maxFires + limits.catchUpCount + 1);
  const taken = due.slice(0, limits.maxFires);
  const fires = taken.map((fireAt, index) => judge(fireAt, { misfire, limits, nowMs: now.getTime(), newer: due.length - 1 - index }));
  const last = taken.at(-1) ?? cursor;
  const counts: Record<PlannedVerdict, number> = { on_time: 0, late: 0, caught_up: 0, missed: 0 };
  for (const { verdict } of fires) counts[verdict]++;
  const [nextFireAt = null] = nextFires(schedule, new Date(Math.max(from.getTime(), now.getTime())), 1);
  return { fires, cursor: last, hasMore: due.length > taken.length, nextFireAt, counts };
}
