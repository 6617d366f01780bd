import type { AttemptReport, ClaimedNode, Settlement, WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";

export interface SettleInput {
  readonly worker: WorkerLease;
  readonly reports: readonly AttemptReport[];
  /** Slots that are free once these reports are settled, by group; empty when the worker takes nothing new. */
  readonly free: Readonly<Record<string, number>>;
}

export interface SettleResult {
  /** In the order of the reports. */
  readonly settlements: readonly Settlement[];
  /** Nodes that this worker has taken in the same commit: execute them. */
  readonly handedOn: readonly ClaimedNode[];
}

export function settle(_ctx: Ctx, _input: SettleInput): Promise<SettleResult> {
  throw new Error("not built yet");
}
