import { parseInput } from "@/server/domain/input";
import type { Ctx } from "@/server/engine/context";
import { type Intervened, intervene, type RunIntervention, runInterventionSchema } from "./intervention";

/** Ends a run: nothing of it starts any more, and what runs is stopped at its worker. Final until a person intervenes. */
export async function cancelRun(ctx: Ctx, given: RunIntervention): Promise<Intervened> {
  const input = parseInput(runInterventionSchema, given);
  return intervene(ctx, { verb: "run.cancel", input, eventOf: () => ({ kind: "cancelRun" }) });
}
