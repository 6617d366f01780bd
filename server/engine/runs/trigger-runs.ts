import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { startTogether } from "./trigger-lane";
import { type TriggerOutcome, type TriggerRequest, type TriggerRunInput, triggerRunSchema } from "./trigger-requests";

/** As many as one transaction starts. */
export const MAX_TRIGGERED = 500;

/**
 * Starts many runs of one project in one transaction, with an audit row for each. A wish that is refused is told in its
 * place and keeps none of the others back. `invalid_input` for more than 500, several projects, or a key that comes twice.
 */
export async function triggerRuns(ctx: Ctx, given: readonly TriggerRunInput[]): Promise<readonly TriggerOutcome[]> {
  if (given.length > MAX_TRIGGERED)
    throw new DomainError("invalid_input", `at most ${MAX_TRIGGERED} runs are started at once; send the others after them`);
  const requests = given.map((each): TriggerRequest => ({ ctx, input: parseInput(triggerRunSchema, each) }));
  const [first] = requests;
  if (!first) return [];
  const { projectId } = first.input;
  if (requests.some(({ input }) => input.projectId !== projectId)) {
    throw new DomainError("invalid_input", "runs that are started together belong to one project");
  }
  authorise(ctx, projectId, "run.trigger");
  const keys = requests.flatMap(({ input }) => input.idempotencyKey ?? []);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new DomainError("invalid_input", `idempotency key "${twice}" comes twice; give every run its own`);
  const { outcomes } = await startTogether(requests);
  return outcomes;
}
