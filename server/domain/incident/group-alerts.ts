import { type Grade, graverOf } from "@/server/domain/alert/grade";
import type { SuppressorKind } from "@/server/domain/alert/model";
import { type IncidentState, isOngoing, nextState, SAME_INCIDENT_MS } from "./transitions";

/** What an incident needs to know of an alert. */
export interface AlertFacts {
  readonly id: string;
  readonly no: number;
  readonly code: string;
  readonly pipelineId: string | null;
  readonly grade: Grade;
  readonly owner: string | null;
  readonly firstAt: Date;
  readonly suppressedBy: SuppressorKind | null;
  readonly acknowledged: { readonly at: Date; readonly by: string } | null;
  readonly resolvedAt: Date | null;
  /** Of which it is part already. */
  readonly incidentId: string | null;
}

export interface IncidentFacts {
  readonly id: string;
  readonly no: number;
  readonly code: string;
  readonly pipelineId: string | null;
  readonly state: IncidentState;
  /** Since when it is in this state. */
  readonly since: Date;
  readonly severity: Grade;
  readonly owner: string | null;
  readonly openedAt: Date;
  readonly acknowledgedAt: Date | null;
  readonly acknowledgedBy: string | null;
  readonly resolvedAt: Date | null;
  /** Closed with a complete review, which stands. */
  readonly isReviewed: boolean;
  /** Of its alerts those that are not resolved. */
  readonly openAlerts: ReadonlySet<string>;
  readonly lastResolvedAt: Date | null;
  /** The newest closed and reviewed incident of the same code, when this one was opened (INC-6). */
  readonly recurrenceOf: string | null;
}

export interface IncidentStep {
  readonly incidentId: string;
  readonly event: "opened" | "reopened" | "acknowledged" | "recovered" | "graver";
  readonly at: Date;
  /** Number of the alert that did it. */
  readonly alertNo: number;
}

export interface IncidentMemory {
  readonly now: Date;
  /** Of each code and pipeline that alerts speak of the one that goes on, else the newest; and those that alerts are part of. */
  readonly incidents: readonly IncidentFacts[];
  readonly lastReviewed: ReadonlyMap<string, string>;
  readonly nextNo: number;
  readonly newId: () => string;
}

export interface Grouping {
  /** As they are afterwards, with those that are new. */
  readonly changed: readonly (IncidentFacts & { readonly isNew: boolean })[];
  readonly links: readonly { readonly alertId: string; readonly incidentId: string }[];
  readonly steps: readonly IncidentStep[];
}

/** Only what people were told of, or would have been had they a channel, is an incident; the mildest grade is a note. */
export const makesIncident = ({ suppressedBy, grade }: AlertFacts): boolean =>
  grade !== "P4" && (suppressedBy === null || suppressedBy === "route");

/** Puts alerts that are new or have changed into incidents of their code and pipeline (INC-1). Pure; the same twice changes nothing. */
export function groupAlerts(alerts: readonly AlertFacts[], memory: IncidentMemory): Grouping {
  const grouping = new Groups(memory);
  const inOrder = [...alerts].sort((a, b) => a.firstAt.getTime() - b.firstAt.getTime() || a.no - b.no);
  for (const alert of inOrder) grouping.take(alert);
  for (const alert of inOrder) grouping.settle(alert);
  return grouping.result();
}

const keyOf = ({ code, pipelineId }: { code: string; pipelineId: string | null }) => `${code}/${pipelineId ?? ""}`;

class Groups {
  private readonly all = new Map<string, IncidentFacts>();
  /** Of each key the incident that an alert would join: the one that goes on, else the newest. */
  private readonly nearest = new Map<string, string>();
  private readonly isNew = new Set<string>();
  private readonly changed = new Set<string>();
  private readonly links = new Map<string, string>();
  private readonly steps: IncidentStep[] = [];
  private nextNo: number;

  constructor(private readonly memory: IncidentMemory) {
    this.nextNo = memory.nextNo;
    const rank = ({ state, no }: IncidentFacts) => (isOngoing(state) ? Number.MAX_SAFE_INTEGER : no);
    for (const incident of [...memory.incidents].sort((a, b) => rank(a) - rank(b))) {
      this.all.set(incident.id, incident);
      this.nearest.set(keyOf(incident), incident.id);
    }
  }

  take(alert: AlertFacts): void {
    const own = alert.incidentId === null ? null : (this.all.get(alert.incidentId) ?? null);
    if (own) this.join(own, alert);
    if (own || alert.incidentId !== null || !makesIncident(alert)) return;
    const near = this.all.get(this.nearest.get(keyOf(alert)) ?? "");
    const incident = near && this.isSame(near, alert) ? near : this.open(alert);
    this.links.set(alert.id, incident.id);
    this.join(incident, alert);
  }

  /** What its alerts have come to: somebody took one over, or none is left. */
  settle(alert: AlertFacts): void {
    const id = alert.incidentId ?? this.links.get(alert.id);
    const incident = id === undefined ? undefined : this.all.get(id);
    if (!incident || !isOngoing(incident.state)) return;
    if (alert.acknowledged && alert.resolvedAt === null && incident.state === "open" && alert.acknowledged.at >= incident.since) {
      const { at, by } = alert.acknowledged;
      const first = incident.acknowledgedAt === null ? { acknowledgedAt: at, acknowledgedBy: by } : {};
      this.step(incident, "acknowledged", at, alert, { state: "acknowledged", ...first });
    }
    const now = this.all.get(incident.id) ?? incident;
    const recovered = nextState(now.state, "recovered");
    if (now.openAlerts.size > 0 || now.lastResolvedAt === null || !recovered) return;
    this.step(now, "recovered", now.lastResolvedAt, alert, { state: recovered.to, resolvedAt: now.lastResolvedAt });
  }

  result(): Grouping {
    return {
      changed: [...this.changed].flatMap((id) => {
        const incident = this.all.get(id);
        return incident ? [{ ...incident, isNew: this.isNew.has(id) }] : [];
      }),
      links: [...this.links].map(([alertId, incidentId]) => ({ alertId, incidentId })),
      steps: this.steps,
    };
  }

  /** However soon: what comes after a review is a recurrence, and the review stays what fixed it last time (INC-6). */
  private isSame({ state, resolvedAt, isReviewed }: IncidentFacts, { firstAt }: AlertFacts): boolean {
    return isOngoing(state) || (!isReviewed && resolvedAt !== null && firstAt.getTime() - resolvedAt.getTime() <= SAME_INCIDENT_MS);
  }

  private open(alert: AlertFacts): IncidentFacts {
    const { code, pipelineId, grade, owner, firstAt } = alert;
    const incident: IncidentFacts = {
      ...{ id: this.memory.newId(), no: this.nextNo++, code, pipelineId, state: "open", since: firstAt, severity: grade, owner },
      ...{ openedAt: firstAt, acknowledgedAt: null, acknowledgedBy: null, resolvedAt: null, isReviewed: false },
      ...{ openAlerts: new Set<string>(), lastResolvedAt: null, recurrenceOf: this.memory.lastReviewed.get(code) ?? null },
    };
    this.all.set(incident.id, incident);
    this.nearest.set(keyOf(incident), incident.id);
    this.isNew.add(incident.id);
    this.changed.add(incident.id);
    this.steps.push({ incidentId: incident.id, event: "opened", at: firstAt, alertNo: alert.no });
    return incident;
  }

  private join(given: IncidentFacts, alert: AlertFacts): void {
    let incident = given;
    const came = alert.incidentId === null ? nextState(incident.state, "alertCame") : null;
    if (came && came.to !== incident.state) {
      incident = this.step(incident, "reopened", alert.firstAt, alert, { state: came.to, since: alert.firstAt, resolvedAt: null });
    }
    const severity = graverOf(incident.severity, alert.grade);
    if (severity !== incident.severity && isOngoing(incident.state)) {
      incident = this.step(incident, "graver", this.memory.now, alert, { severity });
    }
    const openAlerts = new Set(incident.openAlerts);
    if (alert.resolvedAt === null) openAlerts.add(alert.id);
    else openAlerts.delete(alert.id);
    // Facts of the moment: they alone are no change of the incident.
    this.all.set(incident.id, { ...incident, openAlerts, lastResolvedAt: laterOf(alert.resolvedAt, incident.lastResolvedAt) });
  }

  private step(
    incident: IncidentFacts,
    event: IncidentStep["event"],
    at: Date,
    alert: AlertFacts,
    change: Partial<IncidentFacts>,
  ): IncidentFacts {
    const after = { ...incident, ...(change.state ? { since: at } : {}), ...change };
    this.all.set(after.id, after);
    this.changed.add(after.id);
    this.steps.push({ incidentId: after.id, event, at, alertNo: alert.no });
    return after;
  }
}

const laterOf = (a: Date | null, b: Date | null): Date | null => (a === null ? b : b === null || a > b ? a : b);
