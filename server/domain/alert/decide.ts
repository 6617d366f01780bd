import { type Grade, graverOf, isGraver } from "./grade";
import type { AlertMemory, AlertState, Decision, Notice, Occurrence, OpenAlert, Receipt, Suppressor } from "./model";
import { type AlertRule, ruleOf, UNMATCHED_GRADE } from "./policy";
import { BATCH_ABOVE, type Cause, channelsFor, inhibitedBy, isTarget, keptByAlerts, silencedBy, windowOf } from "./suppress";
import { classGrade } from "./task-class";
import { isWithin } from "./week";

export const BATCH_CODE = "APOLLO_BATCH_FAILURE_500";

interface Graded {
  readonly occurrence: Occurrence;
  readonly rule: AlertRule | null;
  readonly grade: Grade;
  /** It was made P4 by the business window of this. */
  readonly window: Suppressor | null;
}

/**
 * The alert pipeline: rules → grade → suppress → aggregate → route → deliver. Given all that occurred anew in a project and
 * what is known of it, it says which alerts there are afterwards, who is told of them, and by what the rest was kept back.
 */
export function decideAlerts(occurrences: readonly Occurrence[], memory: AlertMemory): Decision {
  const book = new AlertBook(memory);
  const free: { readonly graded: Graded; readonly suppressed: Suppressor | null }[] = [];
  for (const graded of causesFirst(occurrences, memory).map((each) => grade(each, memory))) {
    const { occurrence } = graded;
    const suppressed = silencedBy(memory.silences, occurrence, memory.now) ?? inhibitedBy(memory.policy, occurrence, book.causes());
    if (suppressed?.kind !== "inhibition") book.addCause(occurrence);
    free.push({ graded, suppressed });
  }
  const batches = batchKeys(
    free.filter(({ suppressed }) => suppressed === null).map(({ graded }) => graded.occurrence),
    memory,
  );
  for (const { graded, suppressed } of free) {
    if (suppressed) book.hold(graded, suppressed);
    else book.tell(graded, batches.get(graded.occurrence.ref) ?? null);
  }
  return book.decision();
}

/** What is no consequence of anything comes first, so that a consequence that was written a moment earlier finds its cause. */
function causesFirst(occurrences: readonly Occurrence[], { policy }: AlertMemory): Occurrence[] {
  const order = (each: Occurrence) => (isTarget(policy, each.code) ? 1 : 0);
  return [...occurrences].sort((a, b) => order(a) - order(b) || a.at.getTime() - b.at.getTime());
}

/** The graver of code and task class, unless a business window takes it down (ALT-1, ALT-3, ALT-4). */
function grade(occurrence: Occurrence, { policy }: AlertMemory): Graded {
  const rule = ruleOf(policy, occurrence.code);
  const byClass = classGrade(occurrence.taskClass, occurrence.health, isWithin(policy.workingHours, occurrence.at));
  const graver = graverOf(rule?.grade ?? UNMATCHED_GRADE, occurrence.kind === "failure" ? byClass : null);
  const window = windowOf(policy, occurrence);
  if (!window) return { occurrence, rule, grade: graver, window: null };
  const label = `business window "${window.name}" (${window.times.from}–${window.times.to} ${window.times.zone}) made it P4 instead of ${graver}`;
  return { occurrence, rule, grade: "P4", window: { kind: "window", ref: window.id, label, until: null } };
}

/** Of each occurrence that belongs to a batch, which: its run's where that has enough of them, else the project's. */
function batchKeys(occurrences: readonly Occurrence[], memory: AlertMemory): ReadonlyMap<string, string> {
  const failures = occurrences.flatMap(({ kind, ref, object }) =>
    kind === "failure" && object.runId !== null ? [{ ref, task: object.task, runId: object.runId }] : [],
  );
  const tasks = new Map([...memory.failed, ...failures].map(({ task, runId }) => [task, runId]));
  const perRun = new Map<string, number>();
  for (const runId of tasks.values()) perRun.set(runId, (perRun.get(runId) ?? 0) + 1);
  const keyOf = (runId: string): string | null => {
    if ((perRun.get(runId) ?? 0) > BATCH_ABOVE) return `batch:${runId}`;
    return perRun.size > 1 && tasks.size > BATCH_ABOVE ? "batch:runs" : null;
  };
  return new Map(
    failures.flatMap(({ ref, runId }) => {
      const key = keyOf(runId);
      return key === null ? [] : [[ref, key]];
    }),
  );
}

/** The alerts of a project while they are decided on. */
class AlertBook {
  private readonly alerts = new Map<string, OpenAlert>();
  private readonly changed = new Map<string, AlertState>();
  /** The key of the alert that speaks of a task. */
  private readonly tasks: Map<string, string>;
  private readonly receipts: Receipt[] = [];
  private readonly notices = new Map<string, Notice>();
  private readonly justOccurred: Cause[] = [];
  private nextNo: number;

  constructor(private readonly memory: AlertMemory) {
    for (const alert of memory.open) this.alerts.set(alert.key, alert);
    const keys = new Map(memory.open.map(({ id, key }) => [id, key]));
    this.tasks = new Map([...memory.tasks].map(([task, id]) => [task, keys.get(id) ?? ""]));
    this.nextNo = memory.nextNo;
  }

  /** What is itself kept back as a consequence causes nothing further. */
  causes(): readonly Cause[] {
    return [...this.memory.open.filter(({ suppressed }) => suppressed?.kind !== "inhibition"), ...this.justOccurred];
  }

  addCause({ code, at }: Occurrence): void {
    this.justOccurred.push({ code, lastAt: at });
  }

  /** Kept from people before any other alert is asked. */
  hold(graded: Graded, suppressed: Suppressor): void {
    this.receive(graded, this.merge(graded, keyOf(graded.occurrence), suppressed), suppressed);
  }

  tell(graded: Graded, batch: string | null): void {
    const { occurrence, grade } = graded;
    const { memory } = this;
    const key = batch ?? keyOf(occurrence);
    const own = this.alerts.get(key) ?? null;
    const ofTask = this.alerts.get(this.tasks.get(occurrence.object.task) ?? "") ?? null;
    const kept = keptByAlerts(own, ofTask, memory.now);
    const keeper = kept?.kind === "task" ? ofTask : own;
    // What is graver than all that was told before is told whatever would keep it back.
    const raises = keeper !== null && keeper.sentAt !== null && isGraver(grade, keeper.grade);
    const channelIds = channelsFor(memory.routes, grade, occurrence.code);
    const unheard = channelIds.length > 0 ? null : (graded.window ?? noRoute(grade));
    const suppressed = (raises ? null : kept) ?? unheard;
    const alert = this.merge(graded, keeper?.key ?? key, suppressed);
    this.receive(graded, alert, suppressed);
    if (suppressed) return;
    const cause = keeper?.sentAt == null ? "opened" : raises ? "raised" : "repeated";
    this.keep({ ...alert, sentAt: memory.now });
    this.notices.set(alert.id, { alertId: alert.id, channelIds, cause, because: null });
  }

  decision(): Decision {
    return { alerts: [...this.changed.values()], receipts: this.receipts, notices: [...this.notices.values()] };
  }

  private merge({ occurrence, rule, grade }: Graded, key: string, suppressed: Suppressor | null): AlertState {
    const before = this.alerts.get(key) ?? this.blank(key, occurrence);
    const pending = this.changed.get(before.id);
    const leads = before.count === 0 || isGraver(grade, before.grade);
    const { object, message, at } = occurrence;
    return this.keep({
      ...before,
      grade: leads ? grade : before.grade,
      count: before.count + 1,
      lastAt: laterOf(at, before.lastAt),
      // What was told once stays told; what kept a later one back is in its receipt.
      suppressed: before.sentAt === null ? suppressed : null,
      isNew: pending?.isNew ?? before.count === 0,
      face: leads
        ? { ruleId: rule?.id ?? null, object, message, at, actionRequired: rule?.actionRequired ?? null }
        : (pending?.face ?? null),
    });
  }

  private keep(alert: AlertState): AlertState {
    this.alerts.set(alert.key, alert);
    this.changed.set(alert.id, alert);
    return alert;
  }

  private receive({ occurrence, rule, grade }: Graded, alert: AlertState, suppressed: Suppressor | null): void {
    this.tasks.set(occurrence.object.task, alert.key);
    this.receipts.push({ ref: occurrence.ref, occurrence, alertId: alert.id, grade, ruleId: rule?.id ?? null, suppressed });
  }

  private blank(key: string, { kind, code, object, at }: Occurrence): OpenAlert {
    const batch = key.startsWith("batch:");
    return {
      ...{ id: this.memory.newId(), no: this.nextNo++, key, grade: "P4", count: 0, lastAt: at, sentAt: null, suppressed: null },
      kind: batch ? "batch" : kind === "silence" ? "silence" : "code",
      code: batch ? BATCH_CODE : code,
      acknowledgedBy: null,
      pipelineId: object.pipelineId,
    };
  }
}

const laterOf = (a: Date, b: Date): Date => new Date(Math.max(a.getTime(), b.getTime()));

const keyOf = ({ kind, code, object }: Occurrence): string => (kind === "silence" ? `silence:${object.task}` : `code:${code}`);

const noRoute = (grade: Grade): Suppressor => ({ kind: "route", ref: "", label: `no channel takes ${grade} of this code`, until: null });

/** Open alerts that a silence kept back and that it keeps back no more: they fire again, unless something else holds them. */
export function decideAgain(ended: readonly (OpenAlert & { readonly because: string })[], memory: AlertMemory): Decision {
  const alerts: AlertState[] = [];
  const notices: Notice[] = [];
  const causes = memory.open.filter(({ suppressed }) => suppressed?.kind !== "inhibition");
  for (const { because, ...alert } of ended) {
    const matched = { code: alert.code, at: alert.lastAt, object: { pipelineId: alert.pipelineId } };
    const channelIds = channelsFor(memory.routes, alert.grade, alert.code);
    const suppressed =
      silencedBy(memory.silences, matched, memory.now) ??
      inhibitedBy(memory.policy, matched, causes) ??
      (channelIds.length > 0 ? null : noRoute(alert.grade));
    alerts.push({ ...alert, suppressed, sentAt: suppressed ? null : memory.now, isNew: false, face: null });
    if (!suppressed) notices.push({ alertId: alert.id, channelIds, cause: "again", because });
  }
  return { alerts, receipts: [], notices };
}
