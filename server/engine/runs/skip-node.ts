import { parseInput } from "@/server/domain/input";
import type { Ctx } from "@/server/engine/context";
import { type Intervened, intervene, type NodeIntervention, nodeInterventionSchema } from "./intervention";

/** Lets a run go on as if the node had succeeded, without an output. */
export async function skipNode(ctx: Ctx, given: NodeIntervention): Promise<Intervened> {
  const input = parseInput(nodeInterventionSchema, given);
  return intervene(ctx, { verb: "run.skipNode", input, revives: true, eventOf: () => ({ kind: "skipNode", key: input.key }) });
}
