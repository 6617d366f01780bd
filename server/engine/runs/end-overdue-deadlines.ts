import { findOverdueDeadlines } from "@/db/statements/state/recover";
import { platformFailure } from "@/server/domain/run/platform-failure";
import { END_GRACE_MS, type Recover, sweep } from "./recover";

/** Ends nodes whose attempts together have used up their total deadline (B73). */
export const endOverdueDeadlines: Recover = (ctx, fence, options = {}) =>
  sweep(
    ctx,
    fence,
    options,
    (tx, limit) => findOverdueDeadlines(tx, END_GRACE_MS, limit),
    ({ key }) => ({
      kind: "deadlinePassed",
      key,
      failure: platformFailure("deadline", "all attempts together have used up the node's total deadline"),
    }),
  );
