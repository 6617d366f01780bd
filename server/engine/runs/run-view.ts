import type { JoinRule, NodeType } from "@/server/domain/pipeline/definition";
import type { Actor } from "@/server/domain/run/model";
import type { NodeAction, RunAction } from "@/server/domain/run/possible";
import type { AttemptOutcome, NodeState, RunState, SkipCause } from "@/server/domain/run/states";

export interface AttemptView {
  readonly generation: number;
  readonly no: number;
  /** RUNNING while it executes, else as its outcome says; the states of nodes, so that screens need one list. */
  readonly state: NodeState;
  readonly outcome: AttemptOutcome | null;
  readonly executionId: string;
  readonly token: number;
  readonly times: {
    readonly queuedAt: Date | null;
    readonly dispatchedAt: Date;
    readonly pickedUpAt: Date | null;
    readonly executingAt: Date | null;
    readonly committedAt: Date | null;
  };
  readonly worker: { readonly id: string; readonly boot: string | null; readonly fingerprint: unknown } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly traceId: string;
  readonly spanId: string;
  readonly inputs: unknown;
  readonly output: unknown;
  readonly response: Readonly<Record<string, unknown>> | null;
  /** The three before this are large, and were left out here: ask for the attempt itself. */
  readonly bodiesOmitted: boolean;
  /** Predecessor key → execution whose output was read. */
  readonly refs: Readonly<Record<string, string>>;
  readonly runState: RunState;
  readonly logBytes: number;
  readonly logTruncated: boolean;
  readonly maybeRepeated: boolean;
  readonly handedOn: boolean;
  /** Failed calls that the task itself made again: retries belong to the node's policy (RTY-3). */
  readonly innerRetries: number;
}

/** A limit without a free slot; `slots` is null for a pool that is not there. */
export interface LimitWait {
  readonly kind: "pool" | "group";
  readonly name: string;
  readonly slots: number | null;
  readonly taken: number;
}

/** A stop valve that holds the node (RUN-12). */
export interface ValveWait {
  readonly kind: "valve";
  readonly no: number;
  readonly label: string;
  readonly reason: string;
  /** The engine holds it since the task fails too often (EXC-10). */
  readonly deferring: boolean;
  readonly by: string;
  readonly since: Date;
}

export interface NodeView {
  readonly key: string;
  readonly title: string | null;
  readonly type: NodeType;
  readonly group: string;
  readonly needs: readonly string[];
  readonly join: JoinRule;
  readonly state: NodeState;
  readonly skipCause: SkipCause | null;
  readonly held: boolean;
  /** What keeps a queued node from starting now, where it is a limit or a stop valve; null where only a worker is missing. */
  readonly waitsFor: LimitWait | ValveWait | null;
  readonly executionId: string;
  readonly generation: number;
  readonly token: number;
  readonly output: unknown;
  /** It is large, and was left out here. */
  readonly outputOmitted: boolean;
  readonly completedBy: "worker" | "person" | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly maybeRepeated: boolean;
  readonly times: {
    readonly queuedAt: Date | null;
    readonly startedAt: Date | null;
    readonly endedAt: Date | null;
    readonly dueAt: Date | null;
    readonly timeoutAt: Date | null;
    readonly deadlineAt: Date | null;
  };
  readonly attempts: readonly AttemptView[];
  readonly possible: readonly NodeAction[];
}

export interface RunView {
  readonly id: string;
  readonly projectId: string;
  readonly state: RunState;
  readonly pipeline: { readonly id: string; readonly name: string; readonly title: string };
  readonly version: { readonly id: string; readonly no: number };
  readonly params: Readonly<Record<string, unknown>>;
  readonly businessKeys: Readonly<Record<string, string>>;
  readonly trigger: {
    readonly kind: "manual" | "api" | "schedule" | "rerun";
    readonly actor: Actor;
    readonly scheduleId: string | null;
    readonly scheduledAt: Date | null;
  };
  readonly rerunOf: string | null;
  readonly traceId: string;
  readonly pausedByPerson: boolean;
  readonly cancelRequestedAt: Date | null;
  readonly times: { readonly createdAt: Date; readonly startedAt: Date | null; readonly endedAt: Date | null };
  readonly seq: number;
  /** In topological order. */
  readonly nodes: readonly NodeView[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly possible: readonly RunAction[];
}
