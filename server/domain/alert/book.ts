import { type Grade, isGraver } from "./grade";
import { GRACE_MS, isTarget } from "./inhibit";
import type { AlertMemory, AlertState, Cause, Decision, Graded, Notice, Occurrence, OpenAlert, Receipt, Span, Suppressor } from "./model";
import { channelsFor, keptByAlerts, noRoute } from "./suppress";

export const BATCH_CODE = "APOLLO_BATCH_FAILURE_500";

/** Of which alert an occurrence is part: of its code in its pipeline, so that to take care of one speaks for no other. */
export const keyOf = ({ kind, code, object }: Pick<Occurrence, "kind" | "code" | "object">): string =>
  kind === "silence" ? `silence:${object.task}` : `code:${code}/${object.pipelineId ?? ""}`;

/** The alerts of a project while they are decided on. */
export class AlertBook {
  private readonly alerts = new Map<string, OpenAlert>();
  private readonly changed = new Map<string, AlertState>();
  /** The key of the alert that speaks of a task. */
  private readonly tasks: Map<string, string>;
  private readonly receipts: Receipt[] = [];
  private readonly notices = new Map<string, Notice>();
  private readonly known: Cause[];
  private nextNo: number;

  constructor(private readonly memory: AlertMemory) {
    for (const alert of memory.open) this.alerts.set(alert.key, alert);
    const keys = new Map(memory.open.map(({ id, key }) => [id, key]));
    this.tasks = new Map([...memory.tasks].map(([task, id]) => [task, keys.get(id) ?? ""]));
    this.known = [...memory.causes];
    this.nextNo = memory.nextNo;
  }

  causes(): readonly Cause[] {
    return this.known;
  }

  addCause({ code, at }: Occurrence, root: string): void {
    const known = this.known.find((each) => each.code === code && each.root === root && each.no === null);
    if (!known) this.known.unshift({ code, no: null, from: at, to: at, open: true, root });
    else this.known[this.known.indexOf(known)] = { ...known, ...spanned(known, at) };
  }

  /** Kept from people before any other alert is asked. */
  hold(graded: Graded, heldBy: readonly Suppressor[]): void {
    this.receive(graded, this.merge(graded, keyOf(graded.occurrence), heldBy), heldBy);
  }

  tell(graded: Graded, batch: string | null): void {
    const { occurrence, grade } = graded;
    const { memory } = this;
    const key = batch ?? keyOf(occurrence);
    const own = this.alerts.get(key) ?? null;
    const ofTask = this.alerts.get(this.tasks.get(occurrence.object.task) ?? "") ?? null;
    const kept = keptByAlerts({ own, ofTask, recent: memory.recent.get(key) ?? null }, grade, memory.now);
    const keeper = kept[0]?.kind === "task" ? ofTask : own;
    // What is graver than all that was told before is told whatever would keep it back.
    const raises = keeper !== null && keeper.sentAt !== null && isGraver(grade, keeper.grade);
    const channelIds = channelsFor(memory.routes, grade, occurrence.code);
    const unheard = channelIds.length > 0 ? [] : [graded.window ?? noRoute(grade)];
    const waits = keeper?.sentAt == null && kept.length + unheard.length === 0 ? this.graceOf(occurrence, own) : [];
    const heldBy = [...(raises ? [] : kept), ...unheard, ...waits];
    const alert = this.merge(graded, keeper?.key ?? key, heldBy);
    this.receive(graded, alert, heldBy);
    if (heldBy.length > 0) return;
    const cause = keeper?.sentAt == null ? "opened" : raises ? "raised" : "repeated";
    this.keep({ ...alert, sentAt: memory.now });
    this.notices.set(alert.id, { alertId: alert.id, channelIds, cause, ended: null });
  }

  decision(): Decision {
    return { alerts: [...this.changed.values()], receipts: this.receipts, notices: [...this.notices.values()], changes: [] };
  }

  /** A consequence without its cause waits a moment for it; more of the same wait no longer than the first. */
  private graceOf({ code }: Occurrence, own: OpenAlert | null): Suppressor[] {
    if (!isTarget(this.memory.policy, code)) return [];
    const began = own?.heldBy.find(({ kind }) => kind === "grace");
    if (began) return [began];
    // It has waited for something else already.
    if (own && own.count > 0) return [];
    return [{ kind: "grace", ref: "", data: {}, until: new Date(this.memory.now.getTime() + GRACE_MS) }];
  }

  private merge({ occurrence, rule, grade }: Graded, key: string, heldBy: readonly Suppressor[]): AlertState {
    const before = this.alerts.get(key) ?? this.blank(key, occurrence);
    const pending = this.changed.get(before.id);
    const leads = before.count === 0 || isGraver(grade, before.grade);
    const { object, message, at, code } = occurrence;
    return this.keep({
      ...before,
      grade: leads ? grade : before.grade,
      count: before.count + 1,
      firstAt: spanned({ from: before.firstAt, to: before.lastAt }, at).from,
      lastAt: spanned({ from: before.firstAt, to: before.lastAt }, at).to,
      // What was told once stays told; what kept a later one back is in its receipt.
      heldBy: before.sentAt === null ? heldBy : [],
      parts: before.kind === "batch" ? { ...before.parts, [code]: spanned(before.parts[code], at) } : before.parts,
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

  private receive({ occurrence, rule, grade }: Graded, alert: AlertState, heldBy: readonly Suppressor[]): void {
    this.tasks.set(occurrence.object.task, alert.key);
    this.receipts.push({ ref: occurrence.ref, occurrence, alertId: alert.id, grade, ruleId: rule?.id ?? null, heldBy });
  }

  private blank(key: string, { kind, code, object, at }: Occurrence): OpenAlert {
    const batch = key.startsWith("batch:");
    const mildest: Grade = "P4";
    return {
      ...{ id: this.memory.newId(), no: this.nextNo++, key, grade: mildest, count: 0, firstAt: at, lastAt: at, sentAt: null },
      ...{ heldBy: [], parts: {}, acknowledgedBy: null, pipelineId: object.pipelineId },
      kind: batch ? "batch" : kind === "silence" ? "silence" : "code",
      code: batch ? BATCH_CODE : code,
    };
  }
}

const spanned = (span: Span | undefined, at: Date): Span => ({
  from: span && span.from < at ? span.from : at,
  to: span && span.to > at ? span.to : at,
});
