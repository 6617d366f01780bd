import { NODE_EVENTS } from "@/server/domain/run/transitions";
import type { RunEventView } from "../../views";

const RUN_EVENTS = [
  "created",
  "cancelRequested",
  "pauseRequested",
  "resumeRequested",
  "pending",
  "running",
  "paused",
  "success",
  "failed",
  "canceled",
] as const;
const LATE_EVENTS = ["succeeded", "attemptFailed", "attemptTimedOut", "handedBack"] as const;

type Joined<Prefix extends string, Name extends string> = `${Prefix}${Capitalize<Name>}`;
export type EventKey =
  | (typeof NODE_EVENTS)[number]
  | Joined<"run", (typeof RUN_EVENTS)[number]>
  | Joined<"late", (typeof LATE_EVENTS)[number]>
  | "runBegan"
  | "other";

const KEYS = new Map<string, EventKey>([
  ...NODE_EVENTS.map((name) => [name, name] as const),
  ...RUN_EVENTS.map((name) => [`run.${name}`, joined("run", name)] as const),
  ...LATE_EVENTS.map((name) => [`late.${name}`, joined("late", name)] as const),
]);

function joined<P extends string, N extends string>(prefix: P, name: N): Joined<P, N> {
  return `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}` as Joined<P, N>;
}

/** The key of an event's words; an event that a later version writes is shown by its own name. */
export function eventKey({ event, from }: Pick<RunEventView, "event" | "from">): EventKey {
  if (event === "run.running" && from === "PENDING") return "runBegan";
  return KEYS.get(event) ?? "other";
}

/** Recorded and never applied: the result of an attempt that was no longer the owner (IDM-2). */
export const isLate = (event: Pick<RunEventView, "event">): boolean => event.event.startsWith("late.");

export const isByPerson = (event: Pick<RunEventView, "actor">): boolean => event.actor.kind === "user" || event.actor.kind === "token";

export const reasonOf = (event: Pick<RunEventView, "data">): string | null =>
  typeof event.data.reason === "string" && event.data.reason !== "" ? event.data.reason : null;

export const codeOf = (event: Pick<RunEventView, "data">): string | null => (typeof event.data.code === "string" ? event.data.code : null);

/** A deed, and no state that the run came to by it. */
const isDeed = ({ event }: Pick<RunEventView, "event">): boolean => !event.startsWith("run.") || event.endsWith("Requested");

/** What a person did last to the run since then. */
export function lastByPerson<E extends Pick<RunEventView, "actor" | "at" | "event">>(events: readonly E[], sinceMs: number): E | null {
  return events.findLast((event) => isByPerson(event) && isDeed(event) && event.at.getTime() >= sinceMs) ?? null;
}
