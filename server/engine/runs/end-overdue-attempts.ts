import { findOverdueAttempts } from "@/db/statements/state/recover";
import { platformFailure } from "@/server/domain/run/platform-failure";
import { END_GRACE_MS, type Recover, sweep } from "./recover";

/** Ends attempts that their workers should have ended: a worker that hangs, or one that the time-out did not stop. */
export const endOverdueAttempts: Recover = (ctx, fence, options = {}) =>
  sweep(
    ctx,
    fence,
    options,
    (tx, limit) => findOverdueAttempts(tx, END_GRACE_MS, limit),
    ({ key, token }) => ({
      kind: "attemptTimedOut",
      key,
      token,
      failure: platformFailure("timeout", "the attempt ran past its time-out and its worker did not end it"),
      jitter: ctx.random(),
    }),
  );
