import type { NodeEvent } from "./transitions";

/**
 * Why a node waits for a person: a rule sent it; what ran it was lost or died, so that its fate is unknown; its retry would
 * never have come; a person asked for it.
 */
export const REVIEW_CAUSES = ["rule", "lost", "died", "stuck", "person"] as const;
export type ReviewCause = (typeof REVIEW_CAUSES)[number];

const OF_EVENT: Readonly<Partial<Record<NodeEvent, ReviewCause>>> = {
  sentToReview: "rule",
  workerLost: "lost",
  attemptDied: "died",
  stuck: "stuck",
  reviewRequested: "person",
};

/** By the step that brought it there. */
export const reviewCauseOf = (event: string): ReviewCause => OF_EVENT[event as NodeEvent] ?? "person";

/** How long a node may wait for a person before the queue calls it overdue, where a project says nothing else. */
export const DEFAULT_REVIEW_SLA_MINUTES = 240;
