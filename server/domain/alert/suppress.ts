import { type Grade, gradeRank, isGraver } from "./grade";
import type { Occurrence, OpenAlert, RecentAlert, Route, Silence, Suppressor, SuppressorKind } from "./model";
import { matchesCode } from "./pattern";
import type { AlertPolicy, BusinessWindow } from "./policy";
import { isWithin } from "./week";

/** The same code again within this is merged as "N times", also where it had resolved by itself meanwhile (ALT-4). */
export const SAME_CODE_MS = 10 * 60_000;
/** More failed nodes than this in a run, or across runs within the window, are one suspected batch failure (ALT-2). */
export const BATCH_ABOVE = 3;
export const BATCH_WINDOW_MS = 10 * 60_000;
/** What holds without a known end is looked at again so often. */
const LOOK_AGAIN_MS = 60_000;

export type Matched = Pick<Occurrence, "code" | "at"> & { readonly object: Pick<Occurrence["object"], "pipelineId"> };

/** The silences in force that speak of it, the one that lasts longest first. */
export function silencesOn(silences: readonly Silence[], { code, object }: Matched, now: Date): Suppressor[] {
  return silences
    .filter(
      (each) =>
        each.startsAt <= now &&
        each.endsAt > now &&
        matchesCode(each.pattern, code) &&
        (each.pipelineId ?? object.pipelineId) === object.pipelineId,
    )
    .sort((a, b) => b.endsAt.getTime() - a.endsAt.getTime() || a.no - b.no)
    .map(({ id, no, author, reason, endsAt }) => ({ kind: "silence", ref: id, data: { no, author, reason }, until: endsAt }));
}

/** The business window that an occurrence falls into. */
export const windowOf = ({ windows }: AlertPolicy, { code, at }: Matched): BusinessWindow | null =>
  windows.find((window) => matchesCode(window.pattern, code) && isWithin(window.times, at)) ?? null;

/**
 * What alerts keep back: `own` is the one that it would belong to, `ofTask` the one that already speaks of its task, `recent`
 * the one before. An alert that nobody was told of keeps back nothing.
 */
export function keptByAlerts(
  { own, ofTask, recent }: { own: OpenAlert | null; ofTask: OpenAlert | null; recent: RecentAlert | null },
  grade: Grade,
  now: Date,
): Suppressor[] {
  const kept: Suppressor[] = [];
  const by = (kind: SuppressorKind, { id, no }: { id: string; no: number }, more: { data?: Suppressor["data"]; until?: Date } = {}) =>
    kept.push({ kind, ref: id, data: { no, ...more.data }, until: more.until ?? null });
  if (own?.kind === "batch" && own.sentAt !== null && now.getTime() - own.lastAt.getTime() < BATCH_WINDOW_MS) by("batch", own);
  if (ofTask && ofTask.sentAt !== null) by("task", ofTask);
  if (own?.sentAt != null && own.acknowledgedBy !== null) by("acknowledged", own, { data: { by: own.acknowledgedBy } });
  const told =
    own?.sentAt != null ? { id: own.id, no: own.no, sentAt: own.sentAt } : recent && !isGraver(grade, recent.grade) ? recent : null;
  const until = told && new Date(told.sentAt.getTime() + SAME_CODE_MS);
  if (told && until && until > now && kept[0]?.kind !== "batch") by("code", told, { until });
  return kept;
}

/** The channels that take a grade and code. */
export const channelsFor = (routes: readonly Route[], grade: Grade, code: string): string[] =>
  routes
    .filter((route) => route.enabled && gradeRank(grade) <= gradeRank(route.grade) && matchesCode(route.pattern, code))
    .map(({ channelId }) => channelId);

export const noRoute = (grade: Grade): Suppressor => ({ kind: "route", ref: "", data: { grade }, until: null });

/** Of those that come to an end by themselves, when the next one may have; null where nothing is to be looked at. */
export function lookAgainAt(heldBy: readonly Suppressor[], now: Date): Date | null {
  const times = heldBy.flatMap(({ kind, until }) => {
    if (until) return [until.getTime()];
    return kind === "route" || kind === "window" ? [] : [now.getTime() + LOOK_AGAIN_MS];
  });
  return times.length === 0 ? null : new Date(Math.min(...times));
}
