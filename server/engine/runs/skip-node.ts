import type { Ctx } from "@/server/engine/context";
import type { Intervened, NodeIntervention } from "./intervention";

export function skipNode(_ctx: Ctx, _input: NodeIntervention): Promise<Intervened> {
  throw new Error("not built yet");
}
