import type { Ctx } from "@/server/engine/context";
import { type BreakerByHandInput, changeByHand } from "./change-by-hand";

/** Lets go of a worker that a person holds: it takes nodes again, and what failed before counts no more. */
export const releaseHold = (ctx: Ctx, input: BreakerByHandInput): Promise<void> => changeByHand(ctx, "releaseRequested", input);
