import { decideAgain, decideAlerts } from "./decide";
import type { Grade } from "./grade";
import type { AlertMemory, Cause, Decision, Occurrence, OpenAlert, RecentAlert, Route, Silence, Suppressor, SuppressorKind } from "./model";
import { matchesCode } from "./pattern";
import type { AlertPolicy } from "./policy";
import { BATCH_WINDOW_MS, SAME_CODE_MS } from "./suppress";

/** What people did with an alert that there was, and how it ended. */
export interface PastAlert {
  readonly acknowledgedAt: Date | null;
  readonly acknowledgedBy: string | null;
  readonly resolvedAt: Date | null;
  readonly resolvedByItself: boolean;
}

/** What occurred, as it was decided on; those of one moment were decided on together. */
export interface PastOccurrence {
  readonly occurrence: Omit<Occurrence, "taskClass">;
  readonly decidedAt: Date;
  readonly alert: PastAlert;
  readonly recoveredAt: Date | null;
}

export interface PastWorld {
  readonly silences: readonly Silence[];
  readonly routes: readonly Route[];
}

export interface Verdict {
  readonly grade: Grade;
  readonly ruleId: string | null;
  /** Null: people were told. */
  readonly heldBy: SuppressorKind | null;
}

interface Replayed {
  readonly alert: OpenAlert;
  /** Those that there were of what is in it: it is acknowledged with the first of them and ends with the last. */
  readonly sources: ReadonlySet<PastAlert>;
}

interface Placed {
  readonly past: PastOccurrence;
  readonly alertId: string;
  readonly heldBy: SuppressorKind | null;
}

/** No cause reaches further than an inhibition can. */
const KEPT_MS = 1_440 * 60_000;
/** Kept from people before it could be part of a batch. */
const NO_PART: readonly (SuppressorKind | null)[] = ["silence", "inhibition", "grace"];

/** Runs the alert pipeline over what occurred as if this policy had held all along: by occurrence what it makes of it. */
export function replay(past: readonly PastOccurrence[], world: PastWorld, policy: AlertPolicy): ReadonlyMap<string, Verdict> {
  const replaying = new Replaying(world, policy);
  const steps = new Map<number, PastOccurrence[]>();
  for (const each of past) steps.set(each.decidedAt.getTime(), [...(steps.get(each.decidedAt.getTime()) ?? []), each]);
  for (const [time, together] of [...steps].sort(([a], [b]) => a - b)) replaying.step(new Date(time), together);
  return replaying.finish();
}

class Replaying {
  private readonly verdicts = new Map<string, Verdict>();
  private alerts = new Map<string, Replayed>();
  private placed: Placed[] = [];
  private readonly causing = new Map<string, boolean>();
  private made = 0;
  private last = 0;

  constructor(
    private readonly world: PastWorld,
    private readonly policy: AlertPolicy,
  ) {}

  step(now: Date, together: readonly PastOccurrence[]): void {
    this.passTo(now.getTime());
    this.forget(now);
    const byRef = new Map(together.map((each) => [each.occurrence.ref, each]));
    const occurrences = together.map(
      ({ occurrence }): Occurrence => ({ ...occurrence, taskClass: this.policy.classes[occurrence.object.pipelineId ?? ""] ?? "basic" }),
    );
    const decision = decideAlerts(occurrences, this.memory(now));
    this.keep(decision);
    for (const { ref, alertId, grade, ruleId, heldBy } of decision.receipts) {
      const past = byRef.get(ref);
      const replayed = this.alerts.get(alertId);
      if (!past || !replayed) continue;
      const first = heldBy[0]?.kind ?? null;
      this.verdicts.set(ref, { grade, ruleId, heldBy: first });
      this.alerts.set(alertId, { ...replayed, sources: new Set([...replayed.sources, past.alert]) });
      this.placed.push({ past, alertId, heldBy: first });
    }
  }

  /** What still waits when nothing more occurs is looked at until nothing more ends. */
  finish(): ReadonlyMap<string, Verdict> {
    this.passTo(Number.POSITIVE_INFINITY);
    return this.verdicts;
  }

  /** Looks again at what is held whenever something that holds it may have ended before this time. */
  private passTo(time: number): void {
    for (let next = this.nextLook(); next <= time && next !== Number.POSITIVE_INFINITY; next = this.nextLook()) {
      this.last = next;
      this.lookAgain(new Date(next));
    }
    if (time !== Number.POSITIVE_INFINITY) this.last = Math.max(this.last, time);
  }

  private nextLook(): number {
    let next = Number.POSITIVE_INFINITY;
    const consider = (time: number) => {
      if (time > this.last && time < next) next = time;
    };
    let isHeld = false;
    for (const { alert } of this.alerts.values()) {
      for (const { until } of alert.heldBy) if (until) consider(until.getTime());
      isHeld ||= alert.heldBy.length > 0;
    }
    if (isHeld) for (const each of this.alerts.values()) consider(endOf(each)?.at.getTime() ?? Number.POSITIVE_INFINITY);
    return next;
  }

  private lookAgain(now: Date): void {
    const held = this.open(now).filter(
      ({ heldBy }) => heldBy.length > 0 && heldBy.some(({ kind, until }) => (until ? until <= now : kind !== "route" && kind !== "window")),
    );
    if (held.length === 0) return;
    const decision = decideAgain(held, this.memory(now));
    this.keep(decision);
    for (const { alertId, heldBy } of decision.changes) this.settle(alertId, heldBy);
  }

  /** Of those that waited for their cause in vain the first is told, the others are the same code again. */
  private settle(alertId: string, heldBy: readonly Suppressor[]): void {
    let isFirst = true;
    this.placed = this.placed.map((each) => {
      const { ref } = each.past.occurrence;
      const verdict = this.verdicts.get(ref);
      if (each.alertId !== alertId || each.heldBy !== "grace" || !verdict) return each;
      const by = heldBy[0]?.kind ?? (isFirst ? null : "code");
      isFirst = false;
      this.verdicts.set(ref, { ...verdict, heldBy: by });
      return { ...each, heldBy: by };
    });
  }

  private keep({ alerts }: Decision): void {
    for (const { isNew: _, face: __, ...alert } of alerts) {
      this.alerts.set(alert.id, { alert, sources: this.alerts.get(alert.id)?.sources ?? new Set() });
    }
  }

  private forget(now: Date): void {
    const from = now.getTime() - KEPT_MS;
    const isKept = (each: Replayed) => Math.max(endOf(each)?.at.getTime() ?? Number.POSITIVE_INFINITY, each.alert.lastAt.getTime()) > from;
    this.alerts = new Map([...this.alerts].filter(([, each]) => isKept(each)));
    this.placed = this.placed.filter(({ alertId, past }) => {
      const replayed = this.alerts.get(alertId);
      return replayed !== undefined && !isEnded(replayed, now) && !(past.recoveredAt && past.recoveredAt <= now);
    });
  }

  private open(now: Date): OpenAlert[] {
    return [...this.alerts.values()].flatMap((each) => (isEnded(each, now) ? [] : [acknowledged(each, now)]));
  }

  private memory(now: Date): AlertMemory {
    const open = this.open(now);
    return {
      ...{ now, policy: this.policy, silences: this.world.silences, routes: this.world.routes, open },
      recent: this.recent(now),
      causes: this.causes(now),
      ...this.failing(now, new Map(open.map((alert) => [alert.id, alert]))),
      nextNo: this.made + 1,
      newId: () => `${++this.made}`,
    };
  }

  private recent(now: Date): Map<string, RecentAlert> {
    const from = now.getTime() - SAME_CODE_MS;
    const found = new Map<string, RecentAlert>();
    for (const each of this.alerts.values()) {
      const { id, no, key, grade, sentAt } = each.alert;
      const end = endOf(each);
      if (!sentAt || !end?.byItself || end.at > now || end.at.getTime() <= from || sentAt.getTime() <= from) continue;
      if ((found.get(key)?.sentAt ?? 0) < sentAt) found.set(key, { id, no, grade, sentAt });
    }
    return found;
  }

  private causes(now: Date): Cause[] {
    const { inhibitions } = this.policy;
    const longest = Math.max(0, ...inhibitions.map(({ minutes }) => minutes)) * 60_000;
    const causing = [...this.alerts.values()].filter(
      (each) => this.mayCause(each.alert) && (!isEnded(each, now) || each.alert.lastAt.getTime() > now.getTime() - longest),
    );
    return causing
      .sort((a, b) => b.alert.lastAt.getTime() - a.alert.lastAt.getTime())
      .flatMap((each): Cause[] => {
        const { kind, code, no, firstAt, lastAt, heldBy, parts } = each.alert;
        const from = heldBy.find((by) => by.kind === "inhibition");
        const spans = kind === "batch" ? Object.entries(parts) : [[code, { from: firstAt, to: lastAt }] as const];
        return spans.map(([part, span]) => ({
          ...{ code: part, no, open: !isEnded(each, now), root: from ? String(from.data.root) : part },
          ...span,
        }));
      });
  }

  /** Asked at each step of every alert, and so worked out once for a code. */
  private mayCause({ kind, code }: OpenAlert): boolean {
    const { inhibitions } = this.policy;
    if (kind === "batch" || inhibitions.length === 0) return inhibitions.length > 0;
    const known = this.causing.get(code) ?? inhibitions.some(({ cause }) => matchesCode(cause, code));
    this.causing.set(code, known);
    return known;
  }

  /** Tasks that an open alert speaks of, and those that may make a batch. */
  private failing(now: Date, open: ReadonlyMap<string, OpenAlert>): Pick<AlertMemory, "tasks" | "failed"> {
    const tasks = new Map<string, string>();
    const failed: { task: string; runId: string }[] = [];
    const from = now.getTime() - BATCH_WINDOW_MS;
    for (const { past, alertId, heldBy } of this.placed) {
      const { object, at } = past.occurrence;
      const alert = open.get(alertId);
      if (!alert || (past.recoveredAt && past.recoveredAt <= now)) continue;
      const before = open.get(tasks.get(object.task) ?? "");
      if (!before || before.sentAt === null || alert.sentAt !== null) tasks.set(object.task, alertId);
      if (object.runId !== null && at.getTime() > from && !NO_PART.includes(heldBy))
        failed.push({ task: object.task, runId: object.runId });
    }
    return { tasks, failed };
  }
}

function endOf({ sources }: Replayed): { readonly at: Date; readonly byItself: boolean } | null {
  let end: { at: Date; byItself: boolean } | null = null;
  for (const { resolvedAt, resolvedByItself } of sources) {
    if (!resolvedAt) return null;
    if (!end || end.at < resolvedAt) end = { at: resolvedAt, byItself: resolvedByItself };
  }
  return end;
}

const isEnded = (each: Replayed, now: Date): boolean => {
  const end = endOf(each);
  return end !== null && end.at <= now;
};

function acknowledged({ alert, sources }: Replayed, now: Date): OpenAlert {
  const by = [...sources].find(({ acknowledgedAt }) => acknowledgedAt !== null && acknowledgedAt <= now);
  return { ...alert, acknowledgedBy: by?.acknowledgedBy ?? null };
}
