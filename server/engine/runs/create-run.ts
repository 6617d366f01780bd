import type { Tx } from "@/db/client";
import type { Actor } from "@/server/domain/run/model";
import type { RunState } from "@/server/domain/run/states";
import type { Ctx } from "@/server/engine/context";

/** A run that is wanted: by a person, a script, a schedule, or as a repeat of another. */
export interface RunDraft {
  readonly projectId: string;
  readonly pipelineId: string;
  readonly versionId: string;
  readonly trigger: {
    readonly kind: "manual" | "api" | "schedule" | "rerun";
    readonly actor: Actor;
    readonly scheduleId?: string;
    readonly scheduledAt?: Date;
  };
  readonly params: Readonly<Record<string, unknown>>;
  readonly priority?: number;
  /** Overlap `queue`: the run stays PENDING while an earlier run of its schedule is alive. */
  readonly afterEarlier?: boolean;
  readonly rerunOf?: string;
  /** Made by the caller where it needs it before the run exists, as a fire does. */
  readonly id?: string;
}

export interface CreatedRun {
  readonly id: string;
  readonly projectId: string;
  /** PENDING when it waits for its turn. */
  readonly state: RunState;
  /** Groups that have work now; ring them after the commit. */
  readonly groups: readonly string[];
}

export function createRuns(_ctx: Pick<Ctx, "ids" | "clock">, _tx: Tx, _drafts: readonly RunDraft[]): Promise<CreatedRun[]> {
  throw new Error("not built yet");
}
