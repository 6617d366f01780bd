import { AlertBook, keyOf } from "./book";
import { graverOf, isGraver } from "./grade";
import { causeRanks, inhibitionsOn, inhibitionsStill } from "./inhibit";
import type { AlertMemory, AlertState, Decision, Graded, Notice, Occurrence, OpenAlert, ReceiptChange, Suppressor } from "./model";
import { ruleOf, UNMATCHED_GRADE } from "./policy";
import { BATCH_ABOVE, channelsFor, noRoute, SAME_CODE_MS, silencesOn, windowOf } from "./suppress";
import { classGrade } from "./task-class";
import { isWithin } from "./week";

/**
 * The alert pipeline: rules → grade → suppress → aggregate → route → deliver. Given all that occurred anew in a project and
 * what is known of it, it says which alerts there are afterwards, who is told of them, and by what the rest was kept back.
 */
export function decideAlerts(occurrences: readonly Occurrence[], memory: AlertMemory): Decision {
  const book = new AlertBook(memory);
  const free: { readonly graded: Graded; readonly heldBy: readonly Suppressor[] }[] = [];
  for (const graded of causesFirst(occurrences, memory).map((each) => grade(each, memory))) {
    const { occurrence } = graded;
    const causes = inhibitionsOn(memory.policy, occurrence, book.causes());
    book.addCause(occurrence, causes[0] ? String(causes[0].data.root) : occurrence.code);
    free.push({ graded, heldBy: [...silencesOn(memory.silences, occurrence, memory.now), ...causes] });
  }
  const batches = batchKeys(
    free.filter(({ heldBy }) => heldBy.length === 0).map(({ graded }) => graded.occurrence),
    memory,
  );
  for (const { graded, heldBy } of free) {
    if (heldBy.length > 0) book.hold(graded, heldBy);
    else book.tell(graded, batches.get(graded.occurrence.ref) ?? null);
  }
  return book.decision();
}

/** Every cause before its consequences, in whichever order they were written; among those that are neither, by time. */
function causesFirst(occurrences: readonly Occurrence[], { policy }: AlertMemory): Occurrence[] {
  const ranks = causeRanks(
    policy,
    occurrences.map(({ code }) => code),
  );
  const rank = ({ code }: Occurrence) => ranks.get(code) ?? 0;
  return [...occurrences].sort((a, b) => rank(a) - rank(b) || a.at.getTime() - b.at.getTime());
}

/** The gravest of rule, register and task class, unless a business window takes it down (ALT-1, ALT-3, ALT-4). */
function grade(occurrence: Occurrence, { policy }: AlertMemory): Graded {
  const rule = ruleOf(policy, occurrence.code);
  const byClass = classGrade(occurrence.taskClass, occurrence.health, isWithin(policy.workingHours, occurrence.at));
  const byCode = graverOf(rule?.grade ?? UNMATCHED_GRADE, occurrence.codeGrade);
  const instead = graverOf(byCode, occurrence.kind === "failure" ? byClass : null);
  const window = windowOf(policy, occurrence);
  if (!window) return { occurrence, rule, grade: instead, window: null };
  const { from, to, zone } = window.times;
  return {
    ...{ occurrence, rule, grade: "P4" },
    window: { kind: "window", ref: window.id, data: { name: window.name, from, to, zone, instead }, until: null },
  };
}

/**
 * Of each occurrence that belongs to a batch, which: its run's where that has enough of them, else the project's. What people
 * were just told of by its code opens none, for a batch of the same would be a second page for one cause.
 */
function batchKeys(occurrences: readonly Occurrence[], memory: AlertMemory): ReadonlyMap<string, string> {
  const failures = occurrences.flatMap((each) => {
    const { kind, ref, object } = each;
    return kind === "failure" && object.runId !== null ? [{ ref, task: object.task, runId: object.runId, key: keyOf(each) }] : [];
  });
  const since = memory.now.getTime() - SAME_CODE_MS;
  const told = new Set(memory.open.filter(({ sentAt }) => sentAt !== null && sentAt.getTime() > since).map(({ key }) => key));
  const tasks = new Map([...memory.failed, ...failures].map(({ task, runId }) => [task, runId]));
  const perRun = new Map<string, number>();
  for (const runId of tasks.values()) perRun.set(runId, (perRun.get(runId) ?? 0) + 1);
  const batchOf = (runId: string): string | null => {
    if ((perRun.get(runId) ?? 0) > BATCH_ABOVE) return `batch:${runId}`;
    return perRun.size > 1 && tasks.size > BATCH_ABOVE ? "batch:runs" : null;
  };
  return new Map(
    failures.flatMap(({ ref, runId, key }) => {
      const batch = batchOf(runId);
      return batch === null || (told.has(key) && !told.has(batch)) ? [] : [[ref, batch]];
    }),
  );
}

/**
 * Looks again at open alerts that are kept from people: what holds each by now, and those that nothing holds any more are told.
 * Each that newly holds goes into the receipts, also the cause that came a moment after its consequence.
 */
export function decideAgain(held: readonly OpenAlert[], memory: AlertMemory): Decision {
  const looked = held.map((alert) => ({ alert, heldBy: stillHeldBy(alert, memory) }));
  const free = looked.filter(({ heldBy }) => heldBy.length === 0).map(({ alert }) => alert);
  const first = leaderOf(free);
  const alerts: AlertState[] = [];
  const notices: Notice[] = [];
  const changes: ReceiptChange[] = [];
  for (const { alert, heldBy: found } of looked) {
    const inBatch = first !== null && found.length === 0 && alert.id !== first.id;
    const heldBy: readonly Suppressor[] = inBatch ? [{ kind: "batch", ref: first.id, data: { no: first.no }, until: null }] : found;
    const isTold = heldBy.length === 0;
    alerts.push({ ...alert, heldBy, sentAt: isTold ? memory.now : null, isNew: false, face: null });
    const known = new Set(alert.heldBy.map(({ kind, ref }) => `${kind} ${ref}`));
    const waited = alert.heldBy.some(({ kind }) => kind === "grace");
    const newly = heldBy.filter(({ kind, ref }) => !known.has(`${kind} ${ref}`));
    if ((isTold && waited) || newly.length > 0) changes.push({ alertId: alert.id, heldBy, newly });
    if (!isTold) continue;
    const channelIds = channelsFor(memory.routes, alert.grade, alert.code);
    notices.push({ alertId: alert.id, channelIds, cause: waited ? "opened" : "again", ended: alert.heldBy[0] ?? null });
  }
  return { alerts, receipts: [], notices, changes };
}

function stillHeldBy(alert: OpenAlert, memory: AlertMemory): readonly Suppressor[] {
  const matched = { code: alert.code, at: memory.now, object: { pipelineId: alert.pipelineId } };
  const inhibited = alert.kind === "batch" ? inhibitedWhole(alert, memory) : inhibitionsStill(memory.policy, matched, memory.causes);
  const open = new Map(memory.open.map((each) => [each.id, each]));
  const others = alert.heldBy.filter(({ kind, ref, until }) => {
    if (kind === "code" || kind === "grace") return until !== null && until > memory.now;
    if (kind === "batch" || kind === "task" || kind === "acknowledged") return open.get(ref)?.sentAt != null;
    return kind === "window";
  });
  const heldBy = [...silencesOn(memory.silences, matched, memory.now), ...inhibited, ...others];
  // Its cause is there: it need not be waited for.
  const settled = inhibited.length > 0 ? heldBy.filter(({ kind }) => kind !== "grace") : heldBy;
  if (settled.length > 0 || channelsFor(memory.routes, alert.grade, alert.code).length > 0) return settled;
  return [noRoute(alert.grade)];
}

/** A batch follows from a cause when all that is in it does. */
function inhibitedWhole(alert: OpenAlert, { policy, causes, now }: AlertMemory): readonly Suppressor[] {
  const each = Object.keys(alert.parts).map((code) => inhibitionsStill(policy, { code, at: now }, causes));
  return each.every((found) => found.length > 0) ? (each[0] ?? []) : [];
}

/** More of them at once than make a batch are told as one: the gravest of them speaks for the others. */
function leaderOf(free: readonly OpenAlert[]): OpenAlert | null {
  const waited = free.filter(({ heldBy }) => heldBy.some(({ kind }) => kind === "grace" || kind === "inhibition"));
  if (waited.length <= BATCH_ABOVE || waited.length !== free.length) return null;
  return waited.reduce((first, each) => (isGraver(each.grade, first.grade) ? each : first));
}
