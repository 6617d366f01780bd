import { parseInput } from "@/server/domain/input";
import type { Ctx } from "@/server/engine/context";
import { type Intervened, intervene, type RunIntervention, runInterventionSchema } from "./intervention";

/** Lets a held run go on. */
export async function resumeRun(ctx: Ctx, given: RunIntervention): Promise<Intervened> {
  const input = parseInput(runInterventionSchema, given);
  return intervene(ctx, { verb: "run.resume", input, eventOf: () => ({ kind: "resumeRun" }) });
}
