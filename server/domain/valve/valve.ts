import { z } from "zod";
import { DomainError } from "../failure";
import { groupSchema, nodeKeySchema, textSchema } from "../pipeline/definition";

/** What is stopped: one node of a pipeline, a task wherever a project uses it, or a worker group for all projects (RUN-12). */
export const VALVE_KINDS = ["node", "task", "group"] as const;
export type ValveKind = (typeof VALVE_KINDS)[number];

/** `closing`: what is ready is being held; nothing new gets past it already. `releasing`: a share a minute is let go. */
export const VALVE_STATES = ["closing", "closed", "releasing", "ended"] as const;
export type ValveState = (typeof VALVE_STATES)[number];

export const valveTargetSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("node"), pipelineId: z.uuid(), node: nodeKeySchema }),
  /** A task's name, or the type of nodes that name none. */
  z.strictObject({ kind: z.literal("task"), task: textSchema(128).min(1) }),
  z.strictObject({ kind: z.literal("group"), group: groupSchema }),
]);
export type ValveTarget = z.infer<typeof valveTargetSchema>;

export const MAX_RATE = 100_000;
/** Nodes a minute. */
export const rateSchema = z.int().min(1).max(MAX_RATE);

export interface Valve {
  readonly state: ValveState;
  readonly rate: number | null;
  readonly releasingSince: Date | null;
  /** How many were let go since then. */
  readonly releasedAtRate: number;
  /** The engine closed it since a task left its bound, and it ends by recovery; a person who moves it takes it over (EXC-10). */
  readonly deferring: boolean;
}

export type ValveEvent =
  /** All that was ready when it was closed is held. */
  | { readonly kind: "settled" }
  | { readonly kind: "releaseRequested"; readonly rate: number }
  | { readonly kind: "stopRequested" }
  /** A few of what is deferred may go, to see whether it works again. */
  | { readonly kind: "trickleBegun"; readonly rate: number }
  /** What works again fails as before, while the rest of it goes. */
  | { readonly kind: "relapsed"; readonly rate: number }
  /** It works again: the rest may go. */
  | { readonly kind: "recovered"; readonly rate: number }
  /** Nothing is held any more. */
  | { readonly kind: "emptied" };

/** The one place that moves a valve. What a person may not is refused; what changes nothing answers with the same. */
export function moveValve(valve: Valve, event: ValveEvent, at: Date): Valve {
  switch (event.kind) {
    case "settled":
      return valve.state === "closing" ? { ...valve, state: "closed" } : valve;
    case "releaseRequested":
      if (valve.state === "closing") throw refused("it is still being closed: release it in a moment");
      if (valve.state === "ended") throw refused("it is released already");
      return { state: "releasing", rate: event.rate, releasingSince: at, releasedAtRate: 0, deferring: false };
    case "stopRequested":
      if (valve.state !== "releasing") throw refused(`it is ${valve.state}, and lets nothing go that could be stopped`);
      return { state: "closed", rate: null, releasingSince: null, releasedAtRate: 0, deferring: false };
    case "trickleBegun":
      if (!valve.deferring || valve.state !== "closed") return valve;
      return { ...valve, state: "releasing", rate: event.rate, releasingSince: at, releasedAtRate: 0 };
    case "recovered":
      if (!valve.deferring || valve.state !== "releasing") return valve;
      return { state: "releasing", rate: event.rate, releasingSince: at, releasedAtRate: 0, deferring: false };
    case "relapsed":
      if (valve.deferring || valve.state !== "releasing") return valve;
      return { state: "releasing", rate: event.rate, releasingSince: at, releasedAtRate: 0, deferring: true };
    case "emptied":
      // What nobody used is not saved up.
      if (valve.deferring) return mayGo(valve, at) > 1 ? { ...valve, releasingSince: at, releasedAtRate: 0 } : valve;
      return valve.state === "releasing" ? { ...valve, state: "ended" } : valve;
  }
}

const refused = (why: string) => new DomainError("illegal_transition", `the valve cannot be changed so: ${why}`);

/** How many may go now: what the rate has earned since the release began, less what went. The first goes at once. */
export function mayGo({ state, rate, releasingSince, releasedAtRate }: Valve, now: Date): number {
  if (state !== "releasing" || rate === null || releasingSince === null) return 0;
  const earned = 1 + Math.floor((Math.max(0, now.getTime() - releasingSince.getTime()) / 60_000) * rate);
  return Math.max(0, earned - releasedAtRate);
}
