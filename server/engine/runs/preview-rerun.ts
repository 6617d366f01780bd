import type { NodeAction } from "@/server/domain/run/possible";
import type { InterventionPreview } from "@/server/domain/run/preview";
import type { Ctx } from "@/server/engine/context";

export interface PreviewInput {
  readonly runId: string;
  readonly key: string;
  readonly action: NodeAction;
}

/** What an intervention would do, from the same decision that would do it. */
export function previewRerun(_ctx: Ctx, _input: PreviewInput): Promise<InterventionPreview> {
  throw new Error("not built yet");
}
