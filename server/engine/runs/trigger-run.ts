import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { startInLane } from "./trigger-lane";
import { type TriggeredRun, type TriggerRunInput, triggerRunSchema } from "./trigger-requests";

/** Starts a run of the live version of a pipeline. */
export async function triggerRun(ctx: Ctx, given: TriggerRunInput): Promise<TriggeredRun> {
  const input = parseInput(triggerRunSchema, given);
  authorise(ctx, input.projectId, "run.trigger");
  return startInLane({ ctx, input });
}
