import type { Ctx } from "@/server/engine/context";
import type { Intervened, RunIntervention } from "./intervention";

export function pauseRun(_ctx: Ctx, _input: RunIntervention): Promise<Intervened> {
  throw new Error("not built yet");
}
