import { parseInput } from "@/server/domain/input";
import type { Ctx } from "@/server/engine/context";
import { type Intervened, intervene, type NodeIntervention, nodeInterventionSchema } from "./intervention";

/** Ends one node; what needs it waits for a person. */
export async function cancelNode(ctx: Ctx, given: NodeIntervention): Promise<Intervened> {
  const input = parseInput(nodeInterventionSchema, given);
  return intervene(ctx, { verb: "run.cancelNode", input, eventOf: () => ({ kind: "cancelNode", key: input.key }) });
}
