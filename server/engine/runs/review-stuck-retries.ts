import { findStuckRetries } from "@/db/statements/state/recover";
import { type Recover, sweep } from "./recover";

/** A retry that has not come for so long, and that nothing will bring, is shown to a person (EXC-8). */
export const STILL_MS = 5 * 60_000;

/** Sends nodes to review that wait for a retry which will not come; one that is only late is left to `queueDueRetries`. */
export const reviewStuckRetries: Recover = (ctx, fence, options = {}) =>
  sweep(
    ctx,
    fence,
    options,
    (db, limit) => findStuckRetries(db, STILL_MS, limit),
    ({ key }) => ({ kind: "retryStuck", key }),
  );
