import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import type { ClaimedNode } from "@/server/domain/run/work";
import type { Fault } from "../fault";
import type { AttemptLog } from "../log-sink";

/** Why an attempt is ended from outside. */
export type KillKind = "timeout" | "revoked" | "drain" | "lapsed";

export interface Kill {
  readonly kind: KillKind;
  readonly reason: string;
  /** How long it may take to end by itself before it is ended by force. */
  readonly graceMs: number;
}

type WithOf<Type extends NodeDefinition["type"]> = Extract<NodeDefinition, { type: Type }>["with"];

/** All that an executor gets: the node with its values resolved, and what it may speak to. */
export interface Execution<Type extends NodeDefinition["type"]> {
  readonly claimed: ClaimedNode;
  readonly with: WithOf<Type>;
  readonly traceparent: string;
  /** What is left of the attempt's time. */
  readonly timeoutMs: number;
  /** Aborted with a `Kill` as its reason. */
  readonly signal: AbortSignal;
  readonly log: AttemptLog;
}

/** How many attempts of this generation have died or lost their worker before this one; a rare question, put to the database. */
export type DeathsBefore = (claimed: ClaimedNode) => Promise<number>;

export type Response = Readonly<Record<string, unknown>>;

export type Executed =
  | { readonly kind: "succeeded"; readonly output: unknown; readonly response: Response }
  | { readonly kind: "failed"; readonly fault: Fault; readonly response: Response | null }
  /** Broken off by no fault of its own, perhaps halfway: it goes back uncharged, and what comes next may repeat it. */
  | { readonly kind: "interrupted"; readonly response: Response }
  /** It has ended, and everything that it started. */
  | { readonly kind: "killed"; readonly response: Response | null };
