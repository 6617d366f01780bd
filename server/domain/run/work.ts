import type { NodeDefinition } from "../pipeline/definition";
import type { AttemptFailure } from "./model";

/** Which worker process acts; the database refuses one whose lease row says otherwise. */
export interface WorkerLease {
  readonly id: string;
  readonly bootId: string;
  readonly epoch: number;
}

export interface InputTooLarge {
  readonly bytes: number;
  readonly limit: number;
}

/** A node that a worker has claimed: all that it needs to execute it. */
export interface ClaimedNode {
  readonly runId: string;
  readonly projectId: string;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly versionId: string;
  readonly key: string;
  readonly generation: number;
  readonly attemptNo: number;
  readonly executionId: string;
  readonly token: number;
  readonly group: string;
  readonly node: NodeDefinition;
  /** Error-code domain of the pipeline; the worker cannot change it (EXC-1). */
  readonly domain: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Accepted outputs of the predecessors whose output its templates name, by key; null for one that gave nothing. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Set when these outputs together are too large: none was loaded, and the node fails with `APOLLO_INPUT_TOO_LARGE_413`. */
  readonly inputTooLarge?: InputTooLarge | undefined;
  readonly run: { readonly id: string; readonly scheduledAt: string | null; readonly trigger: string };
  readonly businessKeys: Readonly<Record<string, string>>;
  readonly traceId: string;
  readonly spanId: string;
  readonly timeoutAt: Date;
  readonly queuedAt: Date | null;
  readonly dispatchedAt: Date;
  /** An earlier attempt's fate is unknown. */
  readonly maybeRepeated: boolean;
  /** Hops that the run has stayed with this worker, and since when; hand both back with the report, for the bound of hand-on. */
  readonly hops: number;
  readonly stayedSince: Date;
  /** Set when the register says that the execution is completed: settle with it, run nothing (IDM-2). */
  readonly storedResult: { readonly output: unknown } | null;
}

export interface AttemptTimes {
  readonly pickedUpAt: Date;
  readonly executingAt: Date | null;
}

/** How an attempt ended, as its worker tells it. `inputs` are as resolved, secrets by reference. */
export type AttemptReport = {
  readonly runId: string;
  readonly key: string;
  readonly generation: number;
  readonly attemptNo: number;
  readonly executionId: string;
  readonly token: number;
  readonly group: string;
  readonly times: AttemptTimes;
  readonly inputs: unknown;
  readonly response: Readonly<Record<string, unknown>> | null;
  readonly logBytes: number;
  readonly logTruncated: boolean;
  readonly hops: number;
  /** As the claim gave it; where it is left out, the moment of the pick-up counts. */
  readonly stayedSince?: Date;
} & (
  | { readonly kind: "succeeded"; readonly output: unknown }
  | { readonly kind: "failed"; readonly failure: AttemptFailure }
  | { readonly kind: "timedOut"; readonly failure: AttemptFailure }
  /** A draining worker gives the node back: no attempt is counted (WRK-4). */
  | { readonly kind: "handedBack" }
);

/** What became of a report. */
export type Settlement = {
  readonly runId: string;
  readonly key: string;
  readonly token: number;
  readonly result: "applied" | "superseded";
};

/** Largest output that is kept inline; above it the node fails with `APOLLO_OUTPUT_TOO_LARGE_413`, never silently cut. */
export const MAX_OUTPUT_BYTES = 1_000_000;
/** Largest resolved input of one node, and the most that the outputs which it reads may be together. */
export const MAX_INPUT_BYTES = 4_000_000;
/** Log bytes kept of one attempt; what comes after is counted and marked. */
export const MAX_LOG_BYTES = 10_000_000;
/** A run may stay with its worker for this many nodes, or this long, before the claim's order decides again. */
export const MAX_HOPS = 32;
export const MAX_HOP_MS = 1_000;
