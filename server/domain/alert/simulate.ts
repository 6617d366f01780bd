import { GRADES, type Grade } from "./grade";
import type { SuppressorKind } from "./model";
import type { AlertPolicy } from "./policy";
import { type PastOccurrence, type PastWorld, replay, type Verdict } from "./replay";

/** People are told of it with this grade, or this keeps it from them. */
export type Ending = Grade | SuppressorKind;

export interface Outcome {
  /** By grade: how many page. */
  readonly told: readonly { readonly grade: Grade; readonly count: number }[];
  /** By what keeps them from people, the most frequent first. */
  readonly held: readonly { readonly by: SuppressorKind; readonly count: number }[];
  /** By rule, null for what none matches: how many it grades, and how many of those page. */
  readonly rules: readonly { readonly ruleId: string | null; readonly count: number; readonly told: number }[];
}

/** Occurrences that a change ends in another way. */
export interface Regraded {
  readonly from: Ending;
  readonly to: Ending;
  readonly count: number;
  /** The codes among them, the most frequent first. */
  readonly codes: readonly { readonly code: string; readonly count: number }[];
}

export interface Simulation {
  readonly total: number;
  readonly live: Outcome;
  readonly draft: Outcome;
  /** Page with the draft, and did not. */
  readonly newlyTold: number;
  /** Paged, and are kept from people with the draft. */
  readonly noLongerTold: number;
  /** The largest first; empty where the draft changes nothing. */
  readonly changed: readonly Regraded[];
}

const SHOWN_CODES = 5;

/** What a draft of the policy makes of past occurrences, beside the policy that is live now. */
export function simulatePolicy(
  { live, draft }: { readonly live: AlertPolicy; readonly draft: AlertPolicy },
  past: readonly PastOccurrence[],
  world: PastWorld,
): Simulation {
  const [now, then] = [replay(past, world, live), replay(past, world, draft)];
  const ways = new Map<string, { from: Ending; to: Ending; codes: Map<string, number> }>();
  let [newlyTold, noLongerTold] = [0, 0];
  for (const { occurrence } of past) {
    const [a, b] = [now.get(occurrence.ref), then.get(occurrence.ref)];
    if (!a || !b) continue;
    if (a.heldBy !== null && b.heldBy === null) newlyTold += 1;
    if (a.heldBy === null && b.heldBy !== null) noLongerTold += 1;
    const [from, to] = [a.heldBy ?? a.grade, b.heldBy ?? b.grade];
    if (from === to) continue;
    const way = ways.get(`${from}>${to}`) ?? { from, to, codes: new Map<string, number>() };
    way.codes.set(occurrence.code, (way.codes.get(occurrence.code) ?? 0) + 1);
    ways.set(`${from}>${to}`, way);
  }
  const changed = [...ways.values()].map(regraded).sort((a, b) => b.count - a.count);
  return { total: past.length, live: outcomeOf(now), draft: outcomeOf(then), newlyTold, noLongerTold, changed };
}

function regraded({ from, to, codes }: { from: Ending; to: Ending; codes: ReadonlyMap<string, number> }): Regraded {
  const sorted = [...codes].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
  return { from, to, count: sorted.reduce((sum, { count }) => sum + count, 0), codes: sorted.slice(0, SHOWN_CODES) };
}

function outcomeOf(verdicts: ReadonlyMap<string, Verdict>): Outcome {
  const told = new Map<Grade, number>();
  const held = new Map<SuppressorKind, number>();
  const rules = new Map<string | null, { count: number; told: number }>();
  for (const { grade, ruleId, heldBy } of verdicts.values()) {
    if (heldBy === null) told.set(grade, (told.get(grade) ?? 0) + 1);
    else held.set(heldBy, (held.get(heldBy) ?? 0) + 1);
    const rule = rules.get(ruleId) ?? { count: 0, told: 0 };
    rules.set(ruleId, { count: rule.count + 1, told: rule.told + (heldBy === null ? 1 : 0) });
  }
  return {
    told: GRADES.flatMap((grade) => (told.has(grade) ? [{ grade, count: told.get(grade) ?? 0 }] : [])),
    held: [...held].map(([by, count]) => ({ by, count })).sort((a, b) => b.count - a.count),
    rules: [...rules].map(([ruleId, counts]) => ({ ruleId, ...counts })).sort((a, b) => b.count - a.count),
  };
}
