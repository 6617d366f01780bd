import { findDueRetries } from "@/db/statements/state/recover";
import { type Recover, sweep } from "./recover";

export const queueDueRetries: Recover = (ctx, fence, options = {}) =>
  sweep(ctx, fence, options, findDueRetries, ({ key }) => ({ kind: "retryDue", key }));
