import type { Ctx } from "@/server/engine/context";
import type { Intervened, RunIntervention } from "./intervention";

export function resumeRun(_ctx: Ctx, _input: RunIntervention): Promise<Intervened> {
  throw new Error("not built yet");
}
