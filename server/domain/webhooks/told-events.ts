import { z } from "zod";
import { matchesCode } from "@/server/domain/alert/pattern";

/** All that is told to the outside, by noun. */
export const EVENT_TYPES = [
  "run.started",
  "run.succeeded",
  "run.failed",
  "run.canceled",
  "run.paused",
  "run.resumed",
  "node.failed",
  "node.timed_out",
  "node.to_review",
  "alert.opened",
  "alert.resolved",
  "incident.opened",
  "incident.acknowledged",
  "incident.resolved",
  "incident.reopened",
  "incident.closed",
  "review.published",
  "breaker.opened",
  "breaker.probing",
  "breaker.held",
  "breaker.closed",
  "code.proposed",
  "code.registered",
  "code.deprecated",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A type, or a pattern over types where `*` stands for anything. */
export const eventPatternSchema = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .refine((pattern) => EVENT_TYPES.some((type) => matchesCode(pattern, type)), {
    error: "means no event; write a type such as run.failed, or a pattern such as run.* or *",
  });

/** Whether one of the patterns means a type. */
export const wants = (patterns: readonly string[], type: string): boolean => patterns.some((pattern) => matchesCode(pattern, type));

const NODE_TYPES: Readonly<Record<string, EventType>> = {
  FAILED: "node.failed",
  TIMEOUT: "node.timed_out",
  MANUAL_REVIEW: "node.to_review",
};
const RUN_TYPES: Readonly<Record<string, EventType>> = {
  SUCCESS: "run.succeeded",
  FAILED: "run.failed",
  CANCELED: "run.canceled",
  PAUSED: "run.paused",
};
/** States that a run event must lead to, to be told at all. */
export const TOLD_STATES = ["RUNNING", "SUCCESS", "FAILED", "CANCELED", "PAUSED", "TIMEOUT", "MANUAL_REVIEW"] as const;

interface StateChange {
  readonly nodeKey: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

/** What a run event is called outside; null where nobody is told. */
export function typeOfRunEvent({ nodeKey, from, to }: StateChange): EventType | null {
  if (to === null) return null;
  if (nodeKey !== null) return NODE_TYPES[to] ?? null;
  if (to === "RUNNING") return from === "PENDING" ? "run.started" : "run.resumed";
  return RUN_TYPES[to] ?? null;
}
