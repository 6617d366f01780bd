import type { Ctx } from "@/server/engine/context";
import type { Intervened, MarkSuccessInput } from "./intervention";

export function markSuccess(_ctx: Ctx, _input: MarkSuccessInput): Promise<Intervened> {
  throw new Error("not built yet");
}
