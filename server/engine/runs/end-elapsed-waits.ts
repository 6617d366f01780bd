import { findElapsedWaits } from "@/db/statements/state/recover";
import { type Recover, sweep } from "./recover";

export const endElapsedWaits: Recover = (ctx, fence, options = {}) =>
  sweep(ctx, fence, options, findElapsedWaits, ({ key }) => ({ kind: "waitElapsed", key }));
