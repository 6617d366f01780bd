import type { RunState } from "@/server/domain/run/states";
import type { Ctx } from "@/server/engine/context";

export interface TriggerRunInput {
  readonly projectId: string;
  /** Id or name. */
  readonly pipeline: string;
  readonly params?: unknown;
  /** The same key with the same request gives the same run; with another request it is refused. */
  readonly idempotencyKey?: string;
  readonly kind: "manual" | "api";
}

export interface TriggeredRun {
  readonly id: string;
  readonly state: RunState;
  /** The key was known: nothing was started. */
  readonly repeated: boolean;
}

export function triggerRun(_ctx: Ctx, _input: TriggerRunInput): Promise<TriggeredRun> {
  throw new Error("not built yet");
}
