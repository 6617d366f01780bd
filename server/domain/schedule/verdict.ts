import type { MissReason, PlannedVerdict } from "./due";
import type { OverlapSkip } from "./overlap";

/** What the ledger says of a fire (SCH-5). A refused duplicate is a counter on the row of the fire that it repeats. */
export const FIRE_VERDICTS = ["ran", "late", "caught_up", "skipped", "missed"] as const;
export type FireVerdict = (typeof FIRE_VERDICTS)[number];

/**
 * Why a fire has no run: the misfire policy, the overlap policy, an edit that came before the run was made, or a run that
 * its pipeline refuses, as for a parameter that it no longer takes.
 */
export type FireReason = MissReason | OverlapSkip | "edited" | "removed" | "run_refused";

/** The ledger's word for what a plan says of a fire that runs. */
export const verdictOfRun = (planned: Exclude<PlannedVerdict, "missed">): FireVerdict => (planned === "on_time" ? "ran" : planned);
