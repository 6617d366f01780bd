import type { Ctx } from "@/server/engine/context";
import { type BreakerByHandInput, changeByHand } from "./change-by-hand";

/** Puts a worker that its failures took out back to work at once, without its probes. */
export const closeBreaker = (ctx: Ctx, input: BreakerByHandInput): Promise<void> => changeByHand(ctx, "closeRequested", input);
