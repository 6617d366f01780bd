import { type Grade, gradeRank } from "./grade";
import type { Occurrence, OpenAlert, Route, Silence, Suppressor } from "./model";
import { matchesCode } from "./pattern";
import type { AlertPolicy, BusinessWindow } from "./policy";
import { isWithin } from "./week";

/** The same code again within this is merged as "N times" (ALT-4). */
export const SAME_CODE_MS = 10 * 60_000;
/** More failed nodes than this in a run, or across runs within the window, are one suspected batch failure (ALT-2). */
export const BATCH_ABOVE = 3;
export const BATCH_WINDOW_MS = 10 * 60_000;

type Matched = Pick<Occurrence, "code" | "at"> & { readonly object: Pick<Occurrence["object"], "pipelineId"> };

/** The silence in force that speaks of it and lasts longest. */
export function silencedBy(silences: readonly Silence[], { code, object }: Matched, now: Date): Suppressor | null {
  const inForce = silences.filter(
    (each) =>
      each.startsAt <= now &&
      each.endsAt > now &&
      matchesCode(each.pattern, code) &&
      (each.pipelineId ?? object.pipelineId) === object.pipelineId,
  );
  const [silence] = inForce.sort((a, b) => b.endsAt.getTime() - a.endsAt.getTime() || a.no - b.no);
  if (!silence) return null;
  return {
    kind: "silence",
    ref: silence.id,
    label: `silence #${silence.no} by ${silence.author}: ${silence.reason}`,
    until: silence.endsAt,
  };
}

/** A cause that is active: of an open alert, or what has just occurred. */
export type Cause = Pick<OpenAlert, "code" | "lastAt">;

/** The active cause that an occurrence follows from. What is a cause of the rule itself is never inhibited by it. */
export function inhibitedBy({ inhibitions }: AlertPolicy, { code, at }: Matched, causes: readonly Cause[]): Suppressor | null {
  for (const rule of inhibitions) {
    if (matchesCode(rule.cause, code) || !rule.targets.some((target) => matchesCode(target, code))) continue;
    const cause = causes.find(
      (each) => matchesCode(rule.cause, each.code) && Math.abs(at.getTime() - each.lastAt.getTime()) <= rule.minutes * 60_000,
    );
    if (cause) return { kind: "inhibition", ref: rule.id, label: `follows from ${cause.code} (rule ${rule.id})`, until: null };
  }
  return null;
}

/** Whether any rule would inhibit this code, given its cause. */
export const isTarget = ({ inhibitions }: AlertPolicy, code: string): boolean =>
  inhibitions.some((rule) => !matchesCode(rule.cause, code) && rule.targets.some((target) => matchesCode(target, code)));

/** The business window that an occurrence falls into. */
export const windowOf = ({ windows }: AlertPolicy, { code, at }: Matched): BusinessWindow | null =>
  windows.find((window) => matchesCode(window.pattern, code) && isWithin(window.times, at)) ?? null;

/**
 * What the open alerts keep back: `own` is the one that it would belong to, `ofTask` the one that already speaks of its task.
 * An alert that nobody was told of keeps back nothing.
 */
export function keptByAlerts(own: OpenAlert | null, ofTask: OpenAlert | null, now: Date): Suppressor | null {
  const by = (kind: Suppressor["kind"], alert: OpenAlert, label: string): Suppressor => ({ kind, ref: alert.id, label, until: null });
  if (own?.kind === "batch" && own.sentAt !== null) return by("batch", own, `part of the suspected batch failure #${own.no}`);
  if (ofTask && ofTask.sentAt !== null) return by("task", ofTask, `the same task is in alert #${ofTask.no}`);
  if (!own || own.sentAt === null) return null;
  if (own.acknowledgedBy !== null) return by("acknowledged", own, `alert #${own.no} was acknowledged by ${own.acknowledgedBy}`);
  const until = new Date(own.sentAt.getTime() + SAME_CODE_MS);
  if (until <= now) return null;
  return { ...by("code", own, `the same code was sent as alert #${own.no} less than 10 minutes ago`), until };
}

/** The channels that take a grade and code. */
export const channelsFor = (routes: readonly Route[], grade: Grade, code: string): string[] =>
  routes
    .filter((route) => route.enabled && gradeRank(grade) <= gradeRank(route.grade) && matchesCode(route.pattern, code))
    .map(({ channelId }) => channelId);
