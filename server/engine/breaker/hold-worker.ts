import type { Ctx } from "@/server/engine/context";
import { type BreakerByHandInput, changeByHand } from "./change-by-hand";

/** Takes a worker out until a person releases it; nothing else brings it back. What it runs goes on. */
export const holdWorker = (ctx: Ctx, input: BreakerByHandInput): Promise<void> => changeByHand(ctx, "holdRequested", input);
