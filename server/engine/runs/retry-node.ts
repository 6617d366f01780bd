import { parseInput } from "@/server/domain/input";
import type { Ctx } from "@/server/engine/context";
import { type Intervened, intervene, type NodeIntervention, nodeInterventionSchema } from "./intervention";

/** Runs a node again under the same execution, and gives what was given up because of it another chance. */
export async function retryNode(ctx: Ctx, given: NodeIntervention): Promise<Intervened> {
  const input = parseInput(nodeInterventionSchema, given);
  return intervene(ctx, {
    verb: "run.retryNode",
    input,
    restarts: true,
    revives: true,
    eventOf: () => ({ kind: "retryNode", key: input.key }),
  });
}
