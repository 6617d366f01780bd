import { z } from "zod";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { judgeOutput } from "@/server/domain/run/storable";
import type { Ctx } from "@/server/engine/context";
import { type Intervened, intervene, nodeInterventionSchema } from "./intervention";

export const markSuccessSchema = nodeInterventionSchema.extend({ output: z.json().optional() });
export type MarkSuccessInput = z.input<typeof markSuccessSchema>;

/** Closes a node's execution with an output that a person gives, as when its effect is known to have happened. */
export async function markSuccess(ctx: Ctx, given: MarkSuccessInput): Promise<Intervened> {
  const input = parseInput(markSuccessSchema, given);
  const output = judgeOutput(input.output ?? null);
  if (!output.ok) {
    throw new DomainError("invalid_input", output.message, { issues: [{ path: "output", code: "not_storable", message: output.message }] });
  }
  return intervene(ctx, {
    verb: "run.markSuccess",
    input,
    revives: true,
    eventOf: () => ({ kind: "markSuccess", key: input.key }),
    output: output.value,
    details: { output: output.value },
  });
}
