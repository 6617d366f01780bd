import { type Grade, gradeRank } from "@/server/domain/alert/grade";

export const INCIDENT_STATES = ["open", "acknowledged", "resolved", "closed"] as const;
export type IncidentState = (typeof INCIDENT_STATES)[number];

/** The first two come from alerts, the rest from people. */
export const INCIDENT_EVENTS = ["alertCame", "recovered", "acknowledge", "resolve", "reopen", "close"] as const;
export type IncidentEvent = (typeof INCIDENT_EVENTS)[number];

interface TransitionRule {
  readonly to: IncidentState;
  /** Holds only where what is asked of a closing is there. */
  readonly needs?: "review";
}

type Rules = Readonly<Partial<Record<IncidentEvent, TransitionRule>>>;

/** The one table of an incident's states (INC-1). What is not here is refused. */
export const INCIDENT_TRANSITIONS: Readonly<Record<IncidentState, Rules>> = {
  open: {
    alertCame: { to: "open" },
    recovered: { to: "resolved" },
    acknowledge: { to: "acknowledged" },
    resolve: { to: "resolved" },
  },
  acknowledged: {
    alertCame: { to: "acknowledged" },
    recovered: { to: "resolved" },
    resolve: { to: "resolved" },
  },
  resolved: {
    alertCame: { to: "open" },
    reopen: { to: "open" },
    close: { to: "closed", needs: "review" },
  },
  closed: {
    alertCame: { to: "open" },
    reopen: { to: "open" },
  },
};

/** Where an event leads; null where the table has no such way. */
export const nextState = (state: IncidentState, event: IncidentEvent): TransitionRule | null => INCIDENT_TRANSITIONS[state][event] ?? null;

/** Whether people still have to do with it. */
export const isOngoing = (state: IncidentState): boolean => state === "open" || state === "acknowledged";

/** P0 and P1 are not closed without their review (INC-2). */
export const needsReview = (severity: Grade): boolean => gradeRank(severity) <= gradeRank("P1");

/** How long after its resolution the same trouble is still the same incident. */
export const SAME_INCIDENT_MS = 30 * 60_000;

export interface IncidentTimes {
  readonly openedAt: Date;
  readonly acknowledgedAt: Date | null;
  readonly resolvedAt: Date | null;
}

/** Time to acknowledge and time to resolve, in milliseconds; null while it has not come to that. */
export const timesOf = ({ openedAt, acknowledgedAt, resolvedAt }: IncidentTimes) => ({
  toAcknowledgeMs: acknowledgedAt === null ? null : Math.max(0, acknowledgedAt.getTime() - openedAt.getTime()),
  toResolveMs: resolvedAt === null ? null : Math.max(0, resolvedAt.getTime() - openedAt.getTime()),
});
