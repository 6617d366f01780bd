import { parseInput } from "@/server/domain/input";
import type { Ctx } from "@/server/engine/context";
import { type Intervened, intervene, type RunIntervention, runInterventionSchema } from "./intervention";

/** Holds a run: what runs goes on to its end, nothing new starts. */
export async function pauseRun(ctx: Ctx, given: RunIntervention): Promise<Intervened> {
  const input = parseInput(runInterventionSchema, given);
  return intervene(ctx, { verb: "run.pause", input, eventOf: () => ({ kind: "pauseRun" }) });
}
