import type { AttemptReport, ClaimedNode, Settlement, WorkerLease } from "@/server/domain/run/work";
import type { RunMemory } from "./run-memory";

export interface SettleInput {
  readonly worker: WorkerLease;
  readonly reports: readonly AttemptReport[];
  /** Slots that are free once these reports are settled, by group; empty when the worker takes nothing new. */
  readonly free: Readonly<Record<string, number>>;
  /** What the worker knows of its runs; without it everything is read under locks. */
  readonly memory?: RunMemory;
}

export interface SettleResult {
  /** In the order of the reports. */
  readonly settlements: readonly Settlement[];
  /** Nodes that this worker has taken in the same commit: execute them. */
  readonly handedOn: readonly ClaimedNode[];
}
