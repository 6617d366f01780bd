import type { ClaimedNode, WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";

export interface ClaimInput {
  readonly worker: WorkerLease;
  readonly groups: readonly string[];
  /** Free slots; at most this many nodes are taken. */
  readonly limit: number;
}

/** Empty when nothing is ready, and also when the worker's lease row says that it is not this worker any more. */
export function claimReady(_ctx: Ctx, _input: ClaimInput): Promise<ClaimedNode[]> {
  throw new Error("not built yet");
}
